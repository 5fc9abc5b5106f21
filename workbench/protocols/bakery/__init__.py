"""ColdFront's bakery: writers take tickets, and commit to an Iceberg table in their order."""

from workbench.registry import Protocol

PROTOCOL = Protocol(
    __name__,
    models={
        "bakery": "extended:BakeryExtended",
        "bakery_endless": "endless:BakeryEndless",
        "bakery_published": "model:Bakery",
        "bakery_v2": "v2_extended:BakeryV2Extended",
        "bakery_v2_published": "v2:BakeryV2",
    },
    picture="picture",
    logs={"coldfront": "coldfront.mapping:ColdFront"},
    texts={"Bakery": "text:BAKERY", "Bakery_v2": "text:BAKERY_V2"},
    stories={
        "bakery": {
            "Behind an orphan": "bakery/v1_no_reaping",
            "Back without cleaning up": "bakery/v1_restart_no_startup",
            "As it should be": "bakery/v1_survivor_liveness",
        },
        "bakery_v2": {
            "The ack that never comes": "bakery/v2_two_writers_wedge",
            "Stale files": "bakery/v2_race",
            "Clocks that disagree": "bakery/clocks_skewed",
            "Taken for dead": "bakery/suspicion",
            "As it should be": "bakery/v2",
        },
    },
    in_sight={
        "bakery": ("LazyReap", "NodeStartup", "Writers", "MaxCrashes", "MaxRestarts"),
        "bakery_v2": ("SafeAcks", "AsyncParquet", "RestampPatch", "RaiseClocks", "Writers", "MaxCrashes", "MaxSkew"),
    },
)
