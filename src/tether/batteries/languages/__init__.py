"""Safe readers of small languages: any text gives a result or a typed error, in bounded time."""
