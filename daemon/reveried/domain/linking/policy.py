"""The numbers that links are judged by: one section of the configuration."""

from typing import Annotated

from msgspec import Meta, Struct

from reveried.domain.forgetting.units import Days, Share

Count = Annotated[int, Meta(ge=1, le=1000)]


class LinksPolicy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    propose: Annotated[bool, Meta(description="Whether memories are linked to those they share something with.")] = True
    tags: Annotated[Share, Meta(description="Weight of shared tags.")] = 0.3
    entities: Annotated[Share, Meta(description="Weight of shared entities.")] = 0.4
    meaning: Annotated[Share, Meta(description="Weight of the cosine.")] = 0.3
    enough: Annotated[Count, Meta(description="Shared tags, and shared entities, from which more add nothing.")] = 3
    common: Annotated[
        Count, Meta(description="A tag or entity that more memories than this have in common speaks for nothing.")
    ] = 50
    least: Annotated[Share, Meta(description="Confidence from which a link is proposed.")] = 0.2
    most: Annotated[Count, Meta(description="Most links proposed for one memory.")] = 5
    similar: Annotated[Share, Meta(description="Cosine from which two are called similar.")] = 0.8
    weak: Annotated[Share, Meta(description="Confidence up to which a link has to be verified.")] = 0.35
    verify_days: Annotated[Days, Meta(description="Days after which a weak link that nothing verified is removed.")] = (
        7.0
    )
    review: Annotated[Count, Meta(description="Memories that one sleep looks at for links.")] = 50
    together: Annotated[Share, Meta(description="What a recall together adds of what is missing to full strength.")] = (
        0.2
    )
    affirmed: Annotated[
        float, Meta(ge=0, le=100, description="How many recalls being reinforced together counts as.")
    ] = 3.0
    half_life_days: Annotated[Days, Meta(description="Days after which being recalled together counts half.")] = 30.0
    faded: Annotated[Share, Meta(description="Strength below which having been recalled together is forgotten.")] = 0.05
    firm: Annotated[Count, Meta(description="Recalls together from which that counts as an edge.")] = 3
    expand: Annotated[Count, Meta(description="Most neighbours that a recall adds along links.")] = 3

    def __post_init__(self) -> None:
        if abs(self.tags + self.entities + self.meaning - 1.0) > 1e-9:
            raise ValueError("the weights of tags, entities and meaning must sum to 1")
        if self.tags + self.entities <= 0.0:
            raise ValueError("meaning must be below 1: without a model nothing else would speak for a link")
