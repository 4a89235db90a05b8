import CausewayLiveQuery
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayStorage
import Testing

/// Observers, listeners and their removal.
@MainActor struct ObservingTests {
    @MainActor final class Count {
        var calls = 0
        var tokens: [NotificationToken] = []
    }

    @Test func afterDisposeBothStatusesAreErrorAndNothingIsCalled() throws {
        try LiveWorld.run { world in
            try await world.put(1, at: 1)
            let (count, collection) = onMain { (Count(), world.collection(nil)) }
            let token = onMain {
                collection.on(.dataUpdated) { _ in count.calls += 1 }
                return collection.observe { _, _ in count.calls += 1 }
            }
            await world.settle()
            onMain {
                #expect(count.calls == 2)
                collection.dispose()
                #expect(collection.loadingStatus == .error)
                #expect(collection.dataStatus == .error)
                #expect(collection.allObjects().map(\.text) == ["1"])
            }
            try await world.put(2, at: 2)
            await world.settle()
            onMain {
                collection.nextPage()
                collection.resetPage()
                #expect(count.calls == 2)
                #expect(collection.count == 1)
            }
            let late = onMain { collection.observe { _, _ in count.calls += 1 } }
            await world.settle()
            onMain { #expect(count.calls == 2) }
            withExtendedLifetime((token, late)) {}
        }
    }

    @Test func disposeWithinACallbackEndsTheUpdate() throws {
        try LiveWorld.run { world in
            try await world.put(1, at: 1)
            let (count, collection) = onMain { (Count(), world.collection(nil)) }
            onMain {
                collection.on(.loadingStatusChanged) { _ in
                    count.calls += 1
                    collection.dispose()
                }
                collection.on(.dataUpdated) { _ in count.calls += 100 }
            }
            await world.settle()
            onMain { #expect(count.calls == 1) }
        }
    }

    @Test func aReleasedTokenIsSilent() throws {
        try LiveWorld.run { world in
            let (count, collection) = onMain { (Count(), world.collection(nil)) }
            onMain { count.tokens = [collection.observe { _, _ in count.calls += 1 }] }
            await world.settle()
            onMain {
                #expect(count.calls == 1)
                count.tokens = []
            }
            try await world.put(1, at: 1)
            await world.settle()
            onMain {
                #expect(count.calls == 1)
                #expect(collection.count == 1)
            }
        }
    }

    @Test func nothingIsDeliveredAfterInvalidateThoughItWasOnItsWay() throws {
        try LiveWorld.run { world in
            let (count, collection) = onMain { (Count(), world.collection(nil)) }
            let first = onMain { collection.observe { _, _ in for token in count.tokens { token.invalidate() } } }
            onMain { count.tokens = [collection.observe { _, _ in count.calls += 1 }] }
            await world.settle()
            onMain { #expect(count.calls == 0) }
            withExtendedLifetime(first) {}
        }
    }

    @Test func aTokenKeepsItsCollectionAlive() throws {
        try LiveWorld.run { world in
            let count = onMain { Count() }
            let token = onMain { world.collection(nil).observe { _, _ in count.calls += 1 } }
            await world.settle()
            try await world.put(1, at: 1)
            await world.settle()
            onMain { #expect(count.calls == 2) }
            token.invalidate()
        }
    }

    @Test func aCollectionThatNobodyHoldsIsClosed() throws {
        try LiveWorld.run { world in
            let broadcaster = WeakBroadcaster()
            do {
                let opened = world.engine.open(MessagesQuery(.undelivered), isObject: false, remote: nil)
                broadcaster.value = opened.broadcaster
                await world.settle()
                #expect(!opened.broadcaster.isFinished)
            }
            await world.settle()
            #expect(broadcaster.value == nil)
        }
    }

    /// Used by one task of one thread at a time.
    private final class WeakBroadcaster: @unchecked Sendable {
        // Confined to the one thread of the simulator.
        weak var value: SnapshotBroadcaster<MessagesQuery>?
    }

    @Test func snapshotsNeverChangeAfterwards() throws {
        try LiveWorld.run { world in
            try await world.put(1, at: 1)
            let collection = onMain { world.collection(nil) }
            await world.settle()
            let old = onMain { collection.snapshots }
            try await world.put(1, at: 1, "edited")
            try await world.put(2, at: 2)
            await world.settle()
            #expect(old.map(\.text) == ["1"])
            onMain { #expect(collection.snapshots.map(\.text) == ["edited", "2"]) }
        }
    }

    /// A list that is fresh already when its listeners are added, as after `ready()`.
    @Test func freshDataAreReportedToALateListener() throws {
        try LiveWorld.run { world in
            try await world.put(1, at: 1)
            let collection = onMain { world.collection(nil) }
            await world.settle()
            onMain { #expect(collection.dataStatus == .fresh) }
            let (once, always, statuses) = onMain { (Count(), Count(), Count()) }
            onMain {
                collection.on(.dataUpdated) { change in
                    #expect(change.dataStatus == .fresh && change.snapshot.map(\.text) == ["1"])
                    always.calls += 1
                }
                collection.once(.dataUpdated) { _ in once.calls += 1 }
                collection.on(.dataStatusChanged) { _ in statuses.calls += 1 }
                collection.on(.loadingStatusChanged) { _ in statuses.calls += 1 }
                #expect(always.calls == 0 && once.calls == 0, "called before the listener was added")
            }
            await world.settle()
            onMain { #expect(always.calls == 1 && once.calls == 1 && statuses.calls == 0) }
            onMain { collection.removeAllListeners(.dataUpdated) }
            onMain { collection.on(.dataUpdated) { _ in always.calls += 1 } }
            onMain { collection.removeAllListeners(.dataUpdated) }
            await world.settle()
            onMain { #expect(always.calls == 1, "called after its removal") }
        }
    }

    @Test func onceIsCalledOnceAndListenersCanBeRemoved() throws {
        try LiveWorld.run { world in
            let (once, always, tokens) = onMain { (Count(), Count(), Count()) }
            let collection = onMain { world.collection(nil) }
            onMain {
                collection.once(.dataUpdated) { _ in once.calls += 1 }
                collection.on(.dataUpdated) { _ in always.calls += 1 }
                tokens.tokens = [collection.observe { _, _ in tokens.calls += 1 }]
            }
            await world.settle()
            for number in 1...3 {
                try await world.put(number, at: Int64(number))
                await world.settle()
            }
            onMain {
                #expect(once.calls == 1)
                // That the empty list is fresh, and three messages.
                #expect(always.calls == 4)
                collection.removeAllListeners(.dataError)
                collection.removeAllListeners(.dataUpdated)
            }
            try await world.put(4, at: 4)
            await world.settle()
            onMain {
                #expect(always.calls == 4)
                #expect(tokens.calls == 5)
            }
        }
    }

    @Test func whoComesLateIsToldWhatIsThereFirst() throws {
        try LiveWorld.run { world in
            try await world.put(1, at: 1)
            let collection = onMain { world.collection(nil) }
            await world.settle()
            let log = onMain { SequenceTests.Log() }
            let token = onMain {
                let token = collection.observe { _, change in
                    log.lines.append("\(change.oldSnapshot.count) \(change.insertions) \(change.snapshot.count)")
                }
                // No call happens before `observe` returns.
                #expect(log.lines.isEmpty)
                return token
            }
            await world.settle()
            try await world.put(2, at: 2)
            await world.settle()
            onMain { #expect(log.lines == ["0 [0] 1", "1 [1] 2"]) }
            withExtendedLifetime(token) {}
        }
    }

    @Test func theEchoOfAnOwnMessageIsOneModification() throws {
        try LiveWorld.run { world in
            try await world.put(1, at: 1)
            for number in 2...3 { _ = try await world.store.enqueue(try Sample.draft(number, in: world.general)) }
            let collection = onMain { world.collection(nil) }
            let log = onMain { SequenceTests.Log() }
            await world.settle()
            onMain {
                collection.on(.dataUpdated) { change in
                    log.lines.append("-\(change.deletions) +\(change.insertions) *\(change.modifications)")
                }
            }
            await world.settle()
            // The list is fresh: its listener gets it once.
            onMain {
                #expect(log.lines == ["-[] +[0, 1, 2] *[]"])
                log.lines = []
            }
            try await world.store.commit([.deliver(Sample.id(2), Sample.serverPosition(2), at: Sample.time)])
            await world.settle()
            try await world.store.commit([.deliver(Sample.id(3), Sample.serverPosition(3), at: Sample.time)])
            await world.settle()
            onMain { #expect(log.lines == ["-[] +[] *[1]", "-[] +[] *[2]"]) }
        }
    }

    @Test func anObjectThatIsDeletedIsGone() throws {
        try LiveWorld.run { world in
            try await world.put(1, at: 1)
            let object = onMain { world.engine.object(OneMessageQuery(Sample.id(1))) }
            let log = onMain { SequenceTests.Log() }
            let token = onMain {
                object.observe { _, change in
                    log.lines.append("\(change.dataStatus) \(change.snapshot?.text ?? "none")")
                }
            }
            await world.settle()
            try await world.put(1, at: 1, "edited")
            await world.settle()
            try await world.store.commit([.delete(Sample.id(1))])
            await world.settle()
            onMain {
                #expect(log.lines == ["fresh 1", "fresh edited", "notExist none"])
                #expect(object.snapshot == nil)
                object.dispose()
                #expect(object.dataStatus == .error && object.loadingStatus == .error)
            }
            withExtendedLifetime(token) {}
        }
    }

    @Test func theSessionIsOneObjectThroughLogouts() throws {
        try LiveWorld.run { world in
            let object = onMain { world.engine.object(SessionQuery()) }
            await world.settle()
            onMain { #expect(object.dataStatus == .notExist) }
            let user = try #require(Sample.me)
            for number in 1...2 {
                let session = Session(
                    id: SessionID(Sample.id(number).value), server: "https://chat.example", user: user,
                    startedAt: Sample.time)
                try await world.store.commit([.saveSession(session)])
                await world.settle()
                onMain { #expect(object.snapshot == session) }
            }
        }
    }

    @Test func aBlockedMainActorGetsOneCallbackAfterwards() throws {
        try LiveWorld.run { world in
            let (count, collection) = onMain { (Count(), world.collection(nil)) }
            let token = onMain {
                collection.observe { collection, change in
                    count.calls += 1
                    if count.calls == 2 {
                        #expect(change.insertions == Array(0..<300))
                        #expect(change.deletions.isEmpty && change.modifications.isEmpty)
                    }
                }
            }
            await world.settle()
            world.delivery.hold()
            for number in 0..<400 {
                _ = try await world.store.enqueue(try Sample.draft(number, in: world.general))
                if number % 20 == 0 { await world.settle() }
            }
            for number in 0..<100 { try await world.store.commit([.delete(Sample.id(number))]) }
            await world.settle()
            #expect(world.delivery.heldCount == 1)
            world.delivery.release()
            await world.settle()
            onMain { #expect(count.calls == 2) }
            withExtendedLifetime(token) {}
        }
    }

    /// A change that was reverted before any observer looked.
    @Test func nobodyIsCalledWhenNothingDiffers() throws {
        try LiveWorld.run { world in
            try await world.put(1, at: 1)
            let (count, collection) = onMain { (Count(), world.collection(nil)) }
            let token = onMain { collection.observe { _, _ in count.calls += 1 } }
            let changes = onMain { collection.changes }
            let task = world.runtime.spawn {
                for await change in changes where !change.isDataUnchanged { onMain { count.calls += 100 } }
            }
            await world.settle()
            onMain { #expect(count.calls == 101) }
            world.delivery.hold()
            try await world.put(2, at: 2)
            await world.settle()
            try await world.store.commit([.delete(Sample.id(2))])
            await world.settle()
            world.delivery.release()
            await world.settle()
            // The observer that looked in between saw both changes.
            onMain { #expect(count.calls == 301) }
            onMain { collection.dispose() }
            await task.finished()
            withExtendedLifetime(token) {}
        }
    }

    /// Independent of the state displayed before, whether that had further pages or not.
    @Test(
        arguments: [LiveAnchor<MessageQuery.Cursor>.first, .last, .at(.init(position: 10, ordinal: 0))],
        [(true, 20), (true, 100), (false, 20), (false, 100)])
    func aPageAfterAResetIsTheSecond(
        anchor: LiveAnchor<MessageQuery.Cursor>, turn: (isForwards: Bool, messagesCount: Int)
    ) throws {
        try LiveWorld.run { world in
            for number in 1...turn.messagesCount { try await world.put(number, at: Int64(number)) }
            let collection = onMain {
                world.engine.collection(MessagesQuery(.channel(world.general), anchor: anchor, pageSize: 5))
            }
            await world.settle()
            for _ in 0..<4 {
                onMain {
                    collection.nextPage()
                    collection.previousPage()
                }
                await world.settle()
            }
            onMain {
                collection.resetPage()
                if turn.isForwards { collection.nextPage() } else { collection.previousPage() }
            }
            await world.settle()
            let isOpen = turn.isForwards ? anchor == .last : anchor == .first
            onMain { #expect(collection.count == (isOpen ? 5 : 10)) }
        }
    }

    /// A writer that waits to see its writes is not delayed like one that writes at full speed.
    @Test func dependentWritesAreShownAtOnce() throws {
        try LiveWorld.run { world in
            let changes = onMain { world.collection(nil).changes }.makeAsyncIterator()
            _ = await changes.next()
            let start = world.runtime.now
            for number in 1...1000 {
                try await world.put(1, at: 1, "\(number)")
                while let change = await changes.next(), change.snapshot.first?.text != "\(number)" {}
            }
            #expect(world.runtime.now - start < .milliseconds(100))
        }
    }
}
