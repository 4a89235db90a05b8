import Causeway
import CausewayScriptedWorld
import CausewayTransportConformance
import Testing

/// The suite on a correct transport in memory, and on transports with planted faults.
@Suite struct TransportConformanceTests {
    @Test(arguments: TransportConformance.rules)
    func theScriptedTransportKeeps(_ rule: TransportConformance.Rule) async throws {
        #expect(try await rule.run(ScriptedConformanceServer.harness()), "the rule does not apply")
    }

    /// The adapter for servers that only recognise ids keeps every promise except those about lanes, and has no events.
    @Test(arguments: TransportConformance.rules)
    func theIdempotentTransportKeeps(_ rule: TransportConformance.Rule) async throws {
        let isOfLanes = [
            "a gap is answered with the mark, and nothing from there on is applied",
            "a fenced operation is never applied", "lanes keep their marks apart",
        ].contains(rule.name)
        let isOfEvents = rule.needsEvents || rule.needsEphemeral
        let harness = ScriptedConformanceServer.harness {
            IdempotentTransport(
                to: SingleOperationServer($0), window: .seconds(3600), records: [ScriptedRecords.list.kind])
        }
        #expect(try await rule.run(harness) != (isOfLanes || isOfEvents))
    }

    /// Each fault, and the rule that detects it.
    static let expectations: [(FaultyTransport.Fault, String)] = [
        (.changesCapabilities, "the capabilities are constant and allow a delivery"),
        (.wrongUser, "authentication returns the owner of the token"),
        (.wrongTokenIsTransient, "a refused token requires action, and no error contains it"),
        (.printsToken, "a refused token requires action, and no error contains it"),
        (.noServerIsInDoubt, "an address without a server is unreachable"),
        (.wrongPosition, "what was accepted is on the server, in order, at its position"),
        (.newPositionInRepeat, "a repeat gets the same outcomes and stores nothing"),
        (.refusalStopsBatch, "a refused operation is an outcome, and those behind it are applied"),
        (.keepsDeleted, "a deleted message is not on the server"),
        (.deniesAll, "a question finds what the server has"),
        (.mixesResponses, "calls at the same time get their own responses"),
        (.doubtIsUnreachable, "a lost request is in doubt, and can be repeated"),
        (.repeatsByItself, "a lost response is in doubt, and one call sends one request"),
        (.malformedIsAccepted, "a response that does not follow the protocol is in doubt"),
        (.busyIsInDoubt, "a busy server is a transient failure, and nothing is applied"),
        (.forgetsTheWait, "a request to wait is passed on with its time, and nothing is applied"),
        (.waitsForEver, "a call without a response ends by itself"),
        (.ignoresCancellation, "a cancelled call ends"),
        (.ignoresClose, "closing ends the calls under way"),
        (.worksAfterClose, "a closed transport is unreachable"),
        (.pageWithGap, "pages list every message once, in both directions"),
        (.filterHides, "a filter leaves out no message that satisfies it"),
        (.pageHasMoreForEver, "an empty channel is an empty page"),
        (.anyChannelIsEmpty, "a channel that the account cannot read is refused"),
        (.messageWithoutTime, "one message is as in its page, and one that does not exist is none"),
        (.incompleteChanges, "reported changes are complete"),
        (.fillsGaps, "a gap is answered with the mark, and nothing from there on is applied"),
        (.hidesKinds, "the capabilities name the kinds of records"),
        (.recordsWithGap, "a list's pages hold every record once, in both directions"),
        (.recordsLeadBack, "a list's pages hold every record once, in both directions"),
        (.anotherVersion, "one record is as in its list, and one that does not exist is none"),
        (.anyListIsEmpty, "a list that the account cannot read is refused"),
        (.worksAfterClose, "records over a closed transport are unreachable"),
        (.leavesEventsOut, "events after a cursor are the messages since, each once, in order"),
        (.advancesTooFar, "a cursor covers everything up to it"),
        (.hidesDeletions, "a deletion is an event, and the only one of its message"),
        (.endsAtTheEnd, "a stream waits for what is new"),
        (.continuesForeignCursors, "a cursor of another log leads to a reset"),
        (.waitsOn, "a cancelled wait for events ends"),
        (.waitsOn, "closing a stream ends the wait for events"),
        (.worksAfterClose, "events over a closed transport are unreachable"),
        (.wrongTokenIsTransient, "events with a wrong token require action"),
        (.leavesTypingOut, "typing reaches a stream that waits, and one that is opened later"),
        (.typingByArrival, "an older typing signal changes nothing"),
        (.typingIsLogged, "typing is not in the log"),
        (.typesAnywhere, "typing in a channel that the account cannot write to is refused"),
        (.worksAfterClose, "typing over a closed transport is unreachable"),
        (.forgetsFences, "a fenced operation is never applied"),
        (.oneMarkForAllLanes, "lanes keep their marks apart"),
    ]

    @Test func everyFaultHasARuleAndEveryRuleAFault() {
        #expect(Set(Self.expectations.map(\.0)) == Set(FaultyTransport.Fault.allCases))
        #expect(Set(Self.expectations.map(\.1)) == Set(TransportConformance.rules.map(\.name)))
    }

    @Test(arguments: expectations)
    func isFound(_ fault: FaultyTransport.Fault, by name: String) async throws {
        let rule = try #require(TransportConformance.rule(name))
        // Only a transport that waits too long exceeds the patience, however fast the machine is.
        let harness = ScriptedConformanceServer.harness(patience: .milliseconds(200), timeout: .seconds(5)) {
            FaultyTransport(fault, $0)
        }
        await #expect(throws: ConformanceFailure.self) { try await rule.run(harness) }
    }

    /// A harness that cannot cause a fault skips the rules that need it.
    @Test func rulesWithoutTheirFaultsDoNotApply() async throws {
        var harness = ScriptedConformanceServer.harness()
        harness.faults = []
        for rule in TransportConformance.rules where !rule.faults.isEmpty {
            #expect(try await rule.run(harness) == false)
        }
    }
}
