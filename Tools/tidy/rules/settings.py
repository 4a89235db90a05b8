"""The settings and the outside packages that the manifest may declare."""

import json

from tree import Finding, Rule

# As the package manager prints the list named `strict` in Package.swift.
STRICT = [
    {"swiftLanguageMode": {"_0": "6"}},
    {"enableUpcomingFeature": {"_0": "ExistentialAny"}},
    {"enableUpcomingFeature": {"_0": "InternalImportsByDefault"}},
    {"enableUpcomingFeature": {"_0": "MemberImportVisibility"}},
    {"enableUpcomingFeature": {"_0": "NonisolatedNonsendingByDefault"}},
    {"enableUpcomingFeature": {"_0": "InferIsolatedConformances"}},
    {"strictMemorySafety": {}},
    {"treatAllWarnings": {"_0": "error"}},
]

_TLS = "it brings a second TLS stack into the link; TLS is the system's OpenSSL, through CausewayTLS"
BANNED_PRODUCTS = {
    "AsyncHTTPClient": _TLS,
    "HummingbirdHTTP2": _TLS,
    "HummingbirdTLS": _TLS,
    "HummingbirdTesting": _TLS,
    "NIOSSL": _TLS,
}
BANNED_PACKAGES = {"async-http-client": _TLS, "swift-nio-ssl": _TLS}


def strict_settings(tree):
    manifest = tree.manifest
    wanted = {json.dumps(kind, sort_keys=True) for kind in STRICT}
    for target in manifest.targets:
        if target.kind not in ("regular", "executable", "test", "macro") or not has_swift(tree, target):
            continue
        found = {
            json.dumps(setting["kind"], sort_keys=True)
            for setting in target.settings if setting.get("tool") == "swift"
        }
        conditional = any(setting.get("condition") for setting in target.settings if setting.get("tool") == "swift")
        if found != wanted or conditional:
            missing = ", ".join(sorted(wanted - found)) or "nothing"
            extra = ", ".join(sorted(found - wanted)) or "nothing"
            yield Finding("Package.swift", manifest.line_of_target(target), "strict-settings",
                          f"{target.name} does not have the one list 'strict' as it is (missing: {missing}; "
                          f"extra: {extra}); give it swiftSettings: strict")


def has_swift(tree, target):
    return any(target.holds(source.path) for source in tree.swift)


def pins(tree):
    for package in tree.manifest.packages:
        for source in package.get("sourceControl", []):
            for how in {"branch", "revision"} & source.get("requirement", {}).keys():
                yield Finding("Package.swift", tree.manifest.line_of(source["identity"]), "dependency-pin",
                              f"{source['identity']} is pinned by {how}; name a released version with from:")


def banned_products(tree):
    manifest = tree.manifest
    for package in manifest.packages:
        for source in package.get("sourceControl", []):
            reason = BANNED_PACKAGES.get(source["identity"].lower())
            if reason:
                yield Finding("Package.swift", manifest.line_of(source["identity"]), "banned-product",
                              f"{source['identity']}: {reason}")
    for target in manifest.targets:
        for product in target.product_dependencies:
            if product in BANNED_PRODUCTS:
                yield Finding("Package.swift", manifest.line_of_target(target), "banned-product",
                              f"{target.name} uses {product}: {BANNED_PRODUCTS[product]}")


RULES = [
    Rule("strict-settings", "manifest", "every target has the one strict list of settings", strict_settings),
    Rule("dependency-pin", "manifest", "outside packages come as released versions", pins),
    Rule("banned-product", "manifest", "no product that links a second TLS stack", banned_products),
]
