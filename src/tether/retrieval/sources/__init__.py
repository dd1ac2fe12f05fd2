"""Sources of documents: folders, files, sites and pages."""
