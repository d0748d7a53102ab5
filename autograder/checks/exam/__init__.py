"""How is an answer examined?

An exam declares cases, properties and misconceptions; the judge holds an answer against them and
reports what it found.

From outside: `arguments`, `case`, `draw`, `exam`, `habits`, `judge`, `observation`, `report`,
`rules`, `two_slips` (what praises), `watching`.
"""
