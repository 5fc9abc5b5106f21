"""The modelling language: what authors declare in Python, and the machine that it makes of a class."""
