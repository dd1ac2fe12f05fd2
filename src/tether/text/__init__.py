"""Text: words, stems, stop words, languages, sentences, numbers, Markdown, HTML and charsets."""
