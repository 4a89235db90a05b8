import Causeway
import CausewayCommandLine
import CausewayControlAPI
import Testing

/// Changes of more messages than one request may name.
@Suite struct BatchedChangeTests {
    private let ids: [MessageID]

    init() {
        let runtime = SystemRuntime()
        ids = (0..<(2 * ControlLimits.idsPerRequestMax + 10)).map { _ in MessageID(runtime.makeUUIDv7()) }
    }

    private static let problem = ControlError(.notAuthor, "the message of another user")

    @Test func eachPartIsARequest() async throws {
        var parts: [[MessageID]] = []
        let change = try await BatchedChange.of(ids) { part throws(ControlError) in
            parts.append(part)
            return ChangeReport(ids: Array(part.dropLast()), changes: 1)
        }
        #expect(parts.map(\.count) == [ControlLimits.idsPerRequestMax, ControlLimits.idsPerRequestMax, 10])
        #expect(parts.flatMap { $0 } == ids)
        #expect(change.report == ChangeReport(ids: parts.flatMap { $0.dropLast() }, changes: 3))
        #expect(change.unchanged == parts.compactMap(\.last))
        #expect(change.problem == nil)
        #expect(change.exitStatus == .partly)
    }

    /// The messages of the requests before it are gone, and the user has to know.
    @Test func anErrorDoesNotHideWhatIsDone() async throws {
        var requests = 0
        let change = try await BatchedChange.of(ids) { part throws(ControlError) in
            requests += 1
            guard requests == 1 else { throw Self.problem }
            return ChangeReport(ids: Array(part.dropFirst()), changes: 0)
        }
        #expect(requests == 2)
        #expect(change.report.ids == Array(ids[1..<ControlLimits.idsPerRequestMax]))
        #expect(change.unchanged == [ids[0]])
        #expect(change.problem?.code == .notAuthor)
        #expect(
            change.problem?.detail == "the message of another user; the first 1000 of 2010 messages are done")
        #expect(change.exitStatus == .partly)
    }

    @Test func anErrorThatLeavesEverythingIsTheErrorOfTheWhole() async throws {
        do throws(ControlError) {
            _ = try await BatchedChange.of(ids) { _ throws(ControlError) in throw Self.problem }
            Issue.record("it failed")
        } catch {
            #expect(error == Self.problem)
        }
    }

    @Test func theExitStatusSaysWhetherAllOrNoneWereChanged() async throws {
        let few = Array(ids.prefix(2))
        for (changed, status) in [(2, ExitStatus.ok), (1, .partly), (0, .notFound)] {
            let change = try await BatchedChange.of(few) { part throws(ControlError) in
                ChangeReport(ids: Array(part.prefix(changed)), changes: 0)
            }
            #expect(change.exitStatus == status)
        }
    }
}
