"""What stands around the lessons of a site, and where do its links lead?

From outside: `contents`, `links`.
"""
