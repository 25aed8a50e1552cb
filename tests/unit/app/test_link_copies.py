"""Links from elsewhere are taken in between memories of the caller's own namespace, and of no other."""

from pathlib import Path

from reverie.protocol import requests as ask
from reverie.protocol.results import LinksImported
from reveried.app.commands import Caller
from reveried.app.link_copies import LinkCopies
from unit.jobs.living import Turned, life


async def test_whether_two_are_linked_is_told_to_nobody_of_another_namespace(tmp_path: Path) -> None:
    async with life(tmp_path, Turned()) as living:
        one, other = await living.remember("The harbour sleeps."), await living.remember("The keeper wakes.")
        copies = LinkCopies(living.writer, living.readers, living.clock)
        request = ask.ImportLinks(id=0, links=[ask.LinkArrival(a=one, b=other, kind="references")])

        async def told(namespace: str) -> LinksImported:
            return await copies.import_links(request, Caller(namespace, "tests", living.log.head))

        assert await told("other") == LinksImported(linked=0, unchanged=0, rejected=1)
        assert await told("default") == LinksImported(linked=1, unchanged=0, rejected=0)
        assert await told("default") == LinksImported(linked=0, unchanged=1, rejected=0)
        assert await told("other") == LinksImported(linked=0, unchanged=0, rejected=1)
