"""Compares the manifest with the imports, both ways, and forbids some dependencies entirely.

The package manager lets a target import every module that one of its dependencies brings along, so that a
layer can be skipped unnoticed. Here an import needs a declared dependency, and a declared dependency needs
an import.
"""

import re

from manifest import MODULES_OF_PRODUCT
from tree import Finding, Rule

UMBRELLA = "Causeway"

# Modules of the toolchain and of the system, which no manifest lists.
SYSTEM_MODULES = {
    "Android", "Combine", "CoreFoundation", "Darwin", "Dispatch", "Foundation", "FoundationEssentials",
    "FoundationInternationalization", "Glibc", "Musl", "Network", "Observation", "RegexBuilder", "Security", "Swift",
    "Synchronization", "SystemConfiguration", "Testing", "XCTest", "_Concurrency", "_StringProcessing", "os",
}

IMPORT = re.compile(
    r"^[ \t]*(?P<before>(?:@\w+(?:\([^)\n]*\))?[ \t]+|(?:public|package|internal|fileprivate|private)[ \t]+)*)"
    r"import[ \t]+(?:(?:struct|class|enum|protocol|typealias|func|var|let|actor)[ \t]+)?(?P<module>[A-Za-z_]\w*)",
    re.MULTILINE,
)

_PLAIN = ["Models", "Records", "Runtime", "Wire", "Storage", "StorageConformance", "Transport",
          "TransportConformance", "Outbox", "HubRules", "HubStorage", "HubStorageConformance", "Sync", "LiveQuery",
          "Client"]
_PLAIN_PRODUCTS = {"DequeModule", "HeapModule", "Logging", "OrderedCollections"}

# The public face, the engine and the stores.
_ENGINE = {"Causeway"} | {
    f"Causeway{name}" for name in ("LiveQuery", "Outbox", "SQLiteStorage", "Storage", "Sync")}

# Targets that must never reach others, over any number of steps: (from, not this target, not this product, because).
NEVER = [
    (
        {f"Causeway{name}" for name in _PLAIN},
        # The clock of `Runtime` is the system's.
        lambda target: target not in {"CausewaySystem"} | {f"Causeway{name}" for name in _PLAIN},
        lambda product: product not in _PLAIN_PRODUCTS,
        "the ports, the machines, the engine and the client know no adapter; hand it in through a port",
    ),
    (
        {"CausewayTLS", "CausewayWebSocket", "CausewayHTTP"},
        lambda target: target
        not in {
            "CausewaySystem", "CausewayTLS", "CausewayWebSocket", "CausewayHTTP", "CausewayGzip", "COpenSSL", "CZlib",
        },
        lambda product: False,
        "TLS, WebSocket and HTTP know nothing of messages; keep what does in HTTPTransport or Hub",
    ),
    (
        {"CausewayHub"},
        lambda target: target in _ENGINE | {"CausewayControlAPI"},
        lambda product: False,
        "the hub shares words and rules with a client, never its engine or its store",
    ),
    (
        {"CausewayHub"},
        lambda target: target == "CausewayHubSQLite",
        lambda product: product in {"GRDB", "GRDBSQLite"},
        "the hub knows its storage as a port; the program chooses one",
    ),
    (
        {"CausewayControlAPI"},
        lambda target: target not in {"CausewayControlAPI", "CausewayModels"},
        lambda product: True,
        "the requests to the daemon are values over Models; keep a socket in ControlClient or ControlServer",
    ),
    (
        {"causeway-status"} | {
            f"Causeway{name}" for name in ("StatusPage", "ControlClient", "Configuration", "CommandLine")},
        lambda target: target in _ENGINE,
        lambda product: product in {"GRDB", "GRDBSQLite"},
        "a program that only talks to the daemon links neither engine nor store; move the value to Models",
    ),
]


# The only folder that imports the system's libraries by name.
SYSTEM_FOLDER = "Modules/System"
PROGRAMS = ("Modules", "Apps", "Examples", "Tools")
PLATFORM = {"Android", "Darwin", "Glibc", "Musl"}
CAN_IMPORT = re.compile(r"\bcanImport\(\s*(?:Android|Darwin|Glibc|Musl)\s*\)")


def platform_imports(tree):
    remedy = f"only {SYSTEM_FOLDER} may; call it, or add what is missing there"
    for source in tree.swift:
        if source.is_in(SYSTEM_FOLDER):
            continue
        for match in CAN_IMPORT.finditer(source.code):
            yield Finding(source.path, source.line_at(match.start()), "platform-import",
                          f"asks for the system's library; {remedy}")
        for module, offset, _ in imports(source):
            if module in PLATFORM and source.is_in(*PROGRAMS):
                yield Finding(source.path, source.line_at(offset), "platform-import", f"imports {module}; {remedy}")


def system_imports(tree):
    targets = {f"Causeway{name}" for name in _PLAIN if name != "Runtime"}
    for source in tree.swift:
        target = tree.target_of(source.path)
        if target is None or target.name not in targets:
            continue
        for module, offset, _ in imports(source):
            if module == "CausewaySystem":
                yield Finding(source.path, source.line_at(offset), "system-import",
                              "ports and machines know no operating system; hand it in through a port")


def imports(source):
    """Yields (module, offset, whether it is re-exported) of each import."""
    for match in IMPORT.finditer(source.code):
        yield match.group("module"), match.start("module"), "@_exported" in match.group("before")


def modules_of(manifest, target):
    """Returns the modules that the target may import: {module: the dependency's name in the manifest}."""
    allowed = {manifest.by_name[name].module: name for name in target.target_dependencies}
    for product in target.product_dependencies:
        allowed |= {module: product for module in MODULES_OF_PRODUCT.get(product, {product})}
    return allowed


def undeclared_imports(tree):
    for source in tree.swift:
        target = tree.target_of(source.path)
        if target is None:
            continue
        allowed = modules_of(tree.manifest, target)
        if target.kind == "plugin":
            # The package manager provides it.
            allowed["PackagePlugin"] = "PackagePlugin"
        for module, offset, reexported in imports(source):
            line = source.line_at(offset)
            if reexported and target.name != UMBRELLA:
                yield Finding(source.path, line, "import-undeclared",
                              f"only {UMBRELLA} re-exports; import {module} where it is used")
            if module not in allowed and module not in SYSTEM_MODULES and module != target.module:
                yield Finding(source.path, line, "import-undeclared",
                              f"{target.name} does not depend on {module}; list it in Package.swift if it stands "
                              "below this target, else take the import out")


def unused_dependencies(tree):
    manifest = tree.manifest
    imported = {target.name: set() for target in manifest.targets}
    for source in tree.swift:
        target = tree.target_of(source.path)
        if target is not None:
            imported[target.name] |= {module for module, _, _ in imports(source)}
    for target in manifest.targets:
        needed = {}
        for module, dependency in modules_of(manifest, target).items():
            needed.setdefault(dependency, set()).add(module)
        for dependency, modules in needed.items():
            # A test may need a built program without importing it.
            runs_it = target.kind == "test" and dependency in manifest.by_name \
                and manifest.by_name[dependency].kind == "executable"
            if not modules & imported[target.name] and not runs_it:
                yield Finding("Package.swift", manifest.line_of_target(target), "dependency-unused",
                              f"{target.name} declares {dependency} and never imports it; take it out of the manifest")


def forbidden_reach(tree):
    manifest = tree.manifest
    for sources, bad_target, bad_product, because in NEVER:
        for name in sorted(sources & manifest.by_name.keys()):
            line = manifest.line_of_target(manifest.by_name[name])
            for reached, way in reach(manifest, name).items():
                if bad_target(reached):
                    yield Finding("Package.swift", line, "layer-never", f"{' > '.join(way)}: {because}")
                    continue
                for product in manifest.by_name[reached].product_dependencies:
                    if bad_product(product):
                        yield Finding("Package.swift", line, "layer-never",
                                      f"{' > '.join([*way, product])}: {because}")


def reach(manifest, start):
    """Returns every reachable target, with the path to it; a path ends at its first finding."""
    ways, waiting = {start: [start]}, [start]
    while waiting:
        name = waiting.pop()
        for following in manifest.by_name[name].target_dependencies:
            if following not in ways:
                ways[following] = [*ways[name], following]
                waiting.append(following)
    return ways


RULES = [
    Rule("import-undeclared", "layering", "an import needs a dependency in Package.swift", undeclared_imports),
    Rule("dependency-unused", "layering", "a dependency in Package.swift needs an import", unused_dependencies),
    Rule("platform-import", "layering", "the system's libraries are imported below Modules/System alone",
         platform_imports),
    Rule("system-import", "layering", "ports, machines and engine know no operating system", system_imports),
    Rule("layer-never", "layering", "what a layer may never reach, through however many steps", forbidden_reach),
]
