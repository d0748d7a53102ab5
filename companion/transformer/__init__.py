"""What do the parts of a Transformer do, alone, in deep stacks and in a translator?"""
