"""One word for one thing: former names stay away, and doc comments begin with a noun.

`Documentation/Glossary.md` has the words and what each was called before.
"""

import re

from tree import Finding, Rule

GLOSSARY = "Documentation/Glossary.md"

# Doc comments that begin with a clause instead of a noun. May only fall: lower it with every one that goes.
HEADLESS_COMMENTS_MAX = 0

_HEADLESS = re.compile(
    r"^[ \t]*///[ \t]+(?:What|Who|Whose|Whoever|Whatever|Nobody|Somebody|Anybody|Everybody)\b", re.MULTILINE
)
_IDENTIFIER = re.compile(r"(?<![\w#@])[A-Za-z_]\w*")

# Former name: the name to use. They may stand nowhere.
RETIRED = {
    "ActivityForm": "ActivityResponse", "AnswerEnvelope": "ErrorMiddleware", "AnswerReader": "ResponseParser",
    "attemptControl": "attemptMarker", "Attention": "ActionRequired",
    "attentionProbeInterval": "recoveryProbeInterval", "attentionResolved": "actionResolved",
    "begunTwice": "startedTwice", "BodyBudget": "BodyLimiter", "breathCommitsMin": "coalescedCommitsMin",
    "breathe": "coalesce", "CallGroup": "CommitGroup", "callsToGather": "requestsToGather", "Cast": "WorldNames",
    "ChangeSet": "CommitChanges", "ChannelRemote": "ChannelPager", "charge": "countAttempt",
    "chargeHead": "countHeadAttempt", "CheckedDelivery": "ValidatedDelivery",
    "ChosenChannel": "ChannelFilter", "ChosenMessages": "MessageSelection", "clientFaces": "clientBodies",
    "CommitWriter": "MutationApplier", "ControlEntry": "ChainMarker", "ControlRoute": "ControlEndpoint",
    "DaemonDesk": "DaemonClient",
    "Deed": "MessageAction", "DeleteActionForm": "DeleteActionDTO",
    "DeleteActionListForm": "DeleteActionListResponse", "DeliveryApplication": "DeliveryTransaction",
    "DeliveryRound": "Batch", "DrainHistory": "DeliveryHistogram", "EditForm": "EditRequest",
    "EndingService": "ShutdownService", "EventLines": "ServerSentEventParser", "face": "displayed",
    "FaceClock": "VersionClock",
    "FaceExtras": "StoredAggregates", "FailureForm": "FailureDTO", "FileTrustKeeper": "FileTrustStore",
    "firstRound": "firstBatch", "FollowerPlaces": "SubscriberLimiter", "FollowTeller": "FollowEventBuilder",
    "forgetTheInnocent": "evictRecovered", "formSecret": "csrfToken", "freeze": "makeSnapshot",
    "freezeNothing": "makeEmptySnapshot",
    "fromTheFuture": "newerSchema", "FrontGate": "RequestGuardMiddleware", "fruitless": "emptyBatchFailures",
    "giveBackAttempt": "refundAttempt", "greet": "authenticate", "groupCallsMax": "groupRequestsMax",
    "GuardedChannel": "LimitedServerChannel", "HangupService": "SIGHUPService", "Happening": "SimulatedEvent",
    "holdFruitless": "backOffLane", "HourView": "DeliveryChart", "HubAnswer": "JSONResponse",
    "hubFaces": "hubBodies", "HubRefusal": "HubHTTPError", "HubSabotage": "HubPlantedFault",
    "isCautious": "BatchCaution", "isSuspect": "needsVerification", "Judge": "OutboxOracle",
    "lapse": "expireUnsent", "LiveCore": "ObservationCore", "LiveOutlet": "SnapshotBroadcaster",
    "LiveReach": "LoadedRange",
    "LiveRemote": "RemoteSource", "LiveRemoteError": "RemoteSourceError", "LiveRemotePage": "RemoteSourcePage",
    "LiveFault": "StoreFault", "LiveRouter": "LiveQueryEngine", "LiveShown": "DisplayedState",
    "LiveStage": "FrameScheduler",
    "LiveTaken": "PendingChange", "LocalAdapters": "AdapterFactory", "LoginDesk": "LoginThrottle",
    "mayVanish": "canRemoveUnsent", "meetAfter": "injectAfter", "meetBefore": "injectBefore",
    "meetStorage": "injectStorage", "MemoryTrustKeeper": "MemoryTrustStore", "MessageFace": "MessageBody",
    "MessageForm": "MessageDTO", "MessageListForm": "MessageListResponse", "MessageRemote": "MessageFetcher",
    "needAttention": "requireAction", "needsAttention": "actionRequired",
    "newEntry": "StoreCommit.appended", "nextRound": "nextBatch",
    "notBegun": "notStarted", "NoticeBoard": "FlashMessages", "notYours": "notAuthor",
    "OutboxLink": "ConnectionState", "owned": "locked",
    "PageEnvelope": "SecurityHeadersMiddleware", "PageFrame": "PageLayout",
    "PageMoment": "RelativeTime", "PageNotice": "FlashMessage", "PageRefusal": "PageError",
    "PageToken": "AccessTokenDigest", "PlacedMessage": "RemoteMessage", "PlaceMark": "PageCursor",
    "Placement": "ServerPosition", "planAttentionProbe": "planRecoveryProbe", "ProblemAnswer": "ErrorResponse",
    "ProblemForm": "ProblemDTO", "provenBeforePlaced": "confirmedBeforeKnown", "pumpAll": "dispatchAll",
    "pumpAlone": "dispatchLane", "putControl": "putMarker", "RankedRows": "OrderStatisticTree",
    "ReactionForm": "ReactionRequest", "RealStoryWorld": "RealScenarioWorld", "recentBytesMax": "cachedRowBytesMax",
    "recentMessagesMax": "cachedRowsMax", "removeControl": "removeMarker", "RequestWriter": "RequestBuilder",
    "resolveAttention": "clearActionRequired", "ResultForm": "DeliveryResultResponse",
    "roundsUnderWay": "batchesUnderWay", "Sabotage": "PlantedFault", "sabotage": "plantedFault",
    "sendsHeadOnly": "BatchCaution", "SendVerdict": "SendExitStatus", "ServerGreeting": "ServerInfo",
    "ServerWords": "ServerTextSanitizer",
    "SessionForm": "SessionDTO", "SessionKeeper": "SessionStore", "setAsideUsedUp": "failExhausted",
    "SettingsForm": "SettingsResponse", "SilenceEnd": "IdleTimeoutHandler",
    "SimulatedStoryWorld": "SimulatedScenarioWorld", "SiteList": "AllowedHosts", "SiteOrigin": "WebOrigin",
    "SocketPlace": "ControlSocketPath", "startAnew": "renumber", "startedAnewAbove": "renumberedAbove",
    "startsAnewMax": "renumberingsMax", "StatusForm": "StatusResponse", "stirred": "dirtyWindows",
    "StoreOpening": "StartOptions", "StoryEnd": "ScenarioOutcome", "StoryPlayer": "ScenarioPlayer",
    "StoryTeller": "ScenarioGenerator", "StoryWorld": "ScenarioWorld", "Strike": "FaultHit",
    "Supervisor": "SystemdNotifier", "Suspect": "Candidate", "suspectDisk": "requireVerification",
    "SyncOccasion": "RefreshTrigger", "TokenGate": "AuthenticationMiddleware",
    "TortureLedger": "TortureExpectations", "TouchedRows": "ChangedRows", "TrustKeeper": "TrustStore",
    "undecided": "awaitingVerdict", "verifyIfSuspect": "verifyIfNeeded", "WaitForm": "WaitReasonDTO",
    "WaitWords": "WaitReasonText", "WeakOutlet": "WeakBroadcaster",
}

# Former names that are words of everyday code: refused nowhere.
COMMON_WORDS = {"base", "begin", "show", "take", "tell"}

# Former names whose word means something else elsewhere: refused below these folders alone.
RETIRED_IN = {
    "Modules/ControlServer/": {"Ledger": "a name that says which counters"},
    "Modules/Daemon/": {"Ledger": "a name that says which counters"},
    "Modules/HTTPTransport/": {"Question": "RequestKind"},
    "Modules/LiveQuery/": {
        "Batch": "ChangeBatch", "Question": "ServerRequest", "breath": "coalescingInterval", "doubt": "invalidateRead",
    },
    "Modules/Outbox/": {
        "Changes": "ChangePlan", "Flight": "InFlightBatch", "Moment": "ClockReading", "Place": "SlotLocation",
        "RecentMessages": "RecentIDs", "Wish": "OperationRequest", "charged": "countedMessage", "flight": "inFlight",
        "flights": "inFlightBatches", "link": "connection", "moment": "clock", "place": "location",
        "places": "locations", "proven": "confirmed", "pump": "dispatch", "round": "batch", "vanish": "removeUnsent",
        "wish": "request",
    },
    "Modules/SQLiteStorage/": {
        "Call": "WriteRequest", "Ledger": "CommitCounters", "RecentMessages": "RowCache", "Telling": "PublishState",
        "suspect": "requireVerification",
    },
    "Modules/Storage/": {"Changes": "CommitChanges"},
    "Modules/StatusPage/": {"carries": "hasValidCSRFToken", "story": "timeline"},
    "Modules/Sync/": {"occasion": "trigger", "round": "batch"},
    "Tests/Unit/Outbox/": {"Bench": "OutboxHarness", "bench": "harness"},
    "Tests/Conformance/Replay/": {"Story": "Scenario", "story": "scenario"},
    "Tests/Simulation/SimulatedClient/": {"Ledger": "ExpectedState", "ledger": "expected", "story": "history"},
    "Tests/Simulation/SimulatedWorld/": {
        "Chance": "Randomness", "Ledger": "ExpectedState", "Story": "History", "chance": "randomness",
        "judge": "outboxOracle", "ledger": "expected", "story": "history",
    },
}


def retired_names(tree):
    for source in tree.swift:
        refused = dict(RETIRED)
        for folder, names in RETIRED_IN.items():
            if source.is_in(folder.rstrip("/")):
                refused.update(names)
        for part in re.split(r"[/+.]", source.path.removesuffix(".swift")):
            if part in refused and part[0].isupper():
                yield Finding(source.path, 1, "retired-name", message(part, refused[part]))
        for match in _IDENTIFIER.finditer(source.code):
            if match.group() in refused:
                yield Finding(source.path, source.line_at(match.start()), "retired-name",
                              message(match.group(), refused[match.group()]))


def message(former, name):
    return f"{former} is a former name; use {name}, see {GLOSSARY}"


def headless_comments(tree):
    found = [
        Finding(source.path, source.line_at(match.start()), "headless-comment",
                f"begin with a noun; at most {HEADLESS_COMMENTS_MAX} comments may still begin with a clause")
        for source in tree.swift
        for match in _HEADLESS.finditer(source.comments)
    ]
    if len(found) > HEADLESS_COMMENTS_MAX:
        yield from found


RULES = [
    Rule("retired-name", "vocabulary", "no former name of the glossary", retired_names),
    Rule("headless-comment", "vocabulary", "a doc comment begins with a noun", headless_comments),
]
