"""Where in an answer that no hint explains would one small change make every example right?

The answer's own source is changed, one small change at a time, and each change is tried on the
printed examples. What is told is the line and what kind of thing it is, never the change. From
program repair for teaching (Singh, Gulwani and Solar-Lezama 2013) comes the table of small changes;
unlike there, and unlike Clara and Refactory, nobody's right answer is needed: numbers decide.

From outside: `where`.
"""
