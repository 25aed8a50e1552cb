"""Loaded by every Python that has this directory on its path: makes the worker's `hashing` runtime fail on request."""

import os
import sys

if "reveried.embed.worker" in sys.orig_argv:
    from reveried.embed import runtimes

    sound = runtimes.RUNTIMES["hashing"]

    def faulty(model):
        embed = sound(model)

        def embed_or_fail(texts):
            if any("poison" in text for text in texts):
                raise ArithmeticError("this text cannot be embedded")
            if any("abort" in text for text in texts):
                os.abort()
            return embed(texts)

        return embed_or_fail

    runtimes.RUNTIMES["hashing"] = faulty
