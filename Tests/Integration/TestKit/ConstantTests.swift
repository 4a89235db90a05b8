import Causeway
import CausewayTestKit
import CausewayTestSupport
import Testing

/// Constant collections and objects, and samples.
@MainActor @Suite(.timeLimit(.minutes(5))) struct ConstantTests {
    @Test func aCollectionShowsItsRecords() async throws {
        let records = (1...5).map { Message.sample("\($0)") }
        let list = await LiveCollection.constant(records + [records[0]]).ready()
        #expect(list.snapshots.map(\.text) == ["1", "2", "3", "4", "5"])
        await until { list.loadingStatus == .loaded || list.loadingStatus == .notLoading }
        #expect(list.dataStatus == .fresh && !list.hasNext && !list.hasPrevious && list.error == nil)
        var changes: [LiveCollectionChange<Message>] = []
        let token = list.observe { _, change in changes.append(change) }
        await until { !changes.isEmpty }
        #expect(changes.first?.insertions == [0, 1, 2, 3, 4])
        token.invalidate()
    }

    @Test func aCollectionHasPages() async throws {
        let list = await LiveCollection.constant((1...5).map { Message.sample("\($0)") }, pageSize: 2).ready()
        #expect(list.count == 2)
        await until { list.hasNext }
        #expect(try await list.nextPage() == 2)
        #expect(try await list.nextPage() == 1)
        #expect(try await list.nextPage() == 0)
        #expect(list.snapshots.map(\.text) == ["1", "2", "3", "4", "5"] && !list.hasNext)
    }

    @Test func aCollectionRemainsInItsState() async throws {
        let loading = await LiveCollection.constant([Message.sample("1")], .loading).ready()
        await until { loading.count == 1 }
        #expect(loading.isLoading && loading.dataStatus == .local)
        let failed = await LiveCollection<Message>.constant([], .failed(ClientError.noSession)).ready()
        await until { failed.loadingStatus == .error }
        #expect(failed.error == .noSession)
        let object = await LiveObject.constant(Message.sample("one")).ready()
        #expect(object.snapshot?.text == "one" && object.dataStatus == .fresh)
        let missing = LiveObject<Channel>.constant(nil)
        await until { !missing.isLoading }
        #expect(missing.snapshot == nil && missing.dataStatus == .notExist)
    }

    @Test func samplesAreInTheStateThatTheyName() {
        let (first, second) = (Message.sample("1"), Message.sample("2"))
        #expect(first.id != second.id && first.cursor < second.cursor && first.createdAt < second.createdAt)
        #expect(first.syncState == .synced && first.serverPosition != nil)
        let failed = Message.sample("3", state: .error)
        #expect(failed.failure?.reason == .refused && failed.serverPosition == nil)
        #expect(Message.sample(.custom(["a": 1]), state: .created, reactions: ["wave": 2]).reactions == ["wave": 2])
        #expect(Session.sample().isActive && Channel.sample(name: "All").name == "All")
        #expect(ChannelMember.sample(role: .owner).role == .owner)
    }
}
