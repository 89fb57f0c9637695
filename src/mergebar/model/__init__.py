"""The vocabulary: frozen values and Protocols, standard library only.

One module per subject, so that a command loads the words that it uses and no others.
"""
