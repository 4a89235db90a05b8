"""Time, randomness and concurrency are passed in.

After one call around the Runtime the simulator no longer runs the real client: a sleep escapes every hook of the
language's runtime, and a random number makes a seed worthless.
"""

from tree import Rule

from .patterns import ban, call_without, findings

FOLDERS = [
    f"Modules/{name}"
    for name in (
        "Models", "Storage", "StorageConformance", "Outbox", "HubRules", "HubStorage", "HubStorageConformance", "Sync",
        "LiveQuery", "Client", "Wire", "Transport", "TransportConformance", "Runtime",
    )
]
# The only place where the Runtime uses the real clock, real randomness and real tasks.
EXEMPT = "Modules/Runtime/SystemRuntime.swift"

_CLOCK = "take the time from the Runtime that was handed in"
_SLEEP = "sleep on the clock of the Runtime that was handed in"
_CHANCE = "draw from the random source of the Runtime that was handed in"
_SPAWN = "start it through the spawner of the Runtime that was handed in"
_SETTING = "take it as a parameter; only Apps/ look at the process"

BANS = [
    ban(r"\bTask\s*\.\s*sleep\b", "Task.sleep", _SLEEP),
    ban(r"(?<![.\w])(?<!func )(?<!case )(?:u|nano)?sleep\s*\((?!\s*\w+\s*:)", "sleep()", _SLEEP),
    ban(r"\bThread\s*\.\s*sleep\b", "Thread.sleep", _SLEEP),
    ban(r"(?<!->)(?<!-> )(?<!:)(?<!: )(?<![.\w])Task\s*(?:<[^\n{(]*>)?\s*[({]", "a bare Task", _SPAWN),
    ban(r"\bTask\s*\.\s*(?:detached|immediate\w*|init)\b", "Task.detached", _SPAWN),
    ban(r"(?<![.\w])Thread\s*(?:\(|\.\s*detach)", "Thread", _SPAWN),
    ban(r"(?<![.\w])Dispatch(?:Queue|Source|WorkItem|Group|Semaphore)\b", "Dispatch", _SPAWN),
    ban(r"(?<![.\w])(?:OperationQueue|pthread_create)\b", "a thread", _SPAWN),
    ban(r"(?<![.\w])Timer\s*(?:\.\s*(?:scheduledTimer|publish)\b|\(\s*(?:timeInterval|fire)\b)", "Timer", _SLEEP),
    ban(r"(?<![.\w])Date\s*(?:\.\s*init\s*)?\(\s*(?:timeIntervalSinceNow\b|\))", "Date()", _CLOCK),
    ban(r"(?<![.\w])Date\s*\.\s*now\b", "Date.now", _CLOCK),
    ban(r"\bContinuousClock\b", "ContinuousClock", _CLOCK),
    ban(r"\bSuspendingClock\b", "SuspendingClock", _CLOCK),
    ban(r"\bDispatch(?:Wall)?Time\s*\.\s*now\b", "DispatchTime.now", _CLOCK),
    ban(r"(?<![.\w])(?:clock_gettime|gettimeofday|mach_absolute_time|CFAbsoluteTimeGetCurrent)\s*\(",
        "the system's clock", _CLOCK),
    ban(r"\bSystemRandomNumberGenerator\b", "SystemRandomNumberGenerator", _CHANCE),
    ban(r"(?<![.\w])(?:arc4random\w*|getrandom)\s*\(", "the system's random source", _CHANCE),
    ban(r"\bBool\s*\.\s*random\s*\(\s*\)", "randomness without 'using:'", _CHANCE),
    ban(r"(?<![.\w])UUID\s*\(\s*\)", "UUID()", _CHANCE + ", or make an id type from its bytes"),
    call_without(r"\.random\s*\((?=\s*in\b)", "using:", "randomness without 'using:'", _CHANCE),
    call_without(r"\.(?:shuffled|shuffle|randomElement)\s*\(", "using:", "randomness without 'using:'", _CHANCE),
    ban(r"\bProcessInfo\b", "ProcessInfo", _SETTING),
    ban(r"(?<![.\w])(?:getenv|getpid)\s*\(", "the process's own state", _SETTING),
]

MACHINES = ["Modules/Outbox", "Modules/HubRules"]
_MACHINE = "a machine decides and answers actions; what waits or works belongs in its driver"
MACHINE_BANS = [
    ban(r"(?<![.\w])async\b", "async", _MACHINE),
    ban(r"(?<![.\w])await\b", "await", _MACHINE),
    ban(r"(?<![.\w])actor\b", "actor", _MACHINE),
    ban(r"\bimport\s+(?:\w+\s+)?(?:Foundation\w*|Dispatch|Glibc|Musl|Darwin)\b", "an import of the system",
        "a machine needs the standard library and the values of Models, nothing else"),
]


def purity(tree):
    for source in tree.swift:
        if source.is_in(*FOLDERS) and source.path != EXEMPT:
            yield from findings("purity", source, BANS)


def machines(tree):
    for source in tree.swift:
        if source.is_in(*MACHINES):
            yield from findings("pure-machine", source, MACHINE_BANS)


RULES = [
    Rule("purity", "purity", "no clock, randomness, sleep or bare task past the handed-in Runtime", purity),
    Rule("pure-machine", "purity", "the state machines are values: no async, no actor, no Foundation", machines),
]
