import CausewayLiveQuery
import CausewayModels
import CausewayStorage
import Testing

/// The three documented cases of a live object and of a live collection (the data are not here, they are here, they are
/// here and fresh already) and what surrounds them: the whole order of notifications, with random delays of the store,
/// its feed and the server. `LIVE_ORDERS` is the number of runs of each.
@MainActor struct DocumentedSequenceTests {
    private typealias CollectionRemote = DelayedRemote<MessageQuery.Cursor>
    private typealias ObjectRemote = DelayedRemote<Int64>

    private func runs(_ body: @escaping @Sendable (DelayedWorld) async throws -> Void) throws {
        let delays = DelayedWorld.Delays()
        for seed in 0..<HistoryTests.setting("LIVE_ORDERS", 20) {
            try DelayedWorld.run(seed: UInt64(seed), delays, body)
        }
        #expect(delays.varied == Set(DelayedWorld.Delays.Cause.allCases), "store, feed and server take their time")
    }

    // MARK: - Collections

    @Test func aCollectionWithoutLocalData() throws {
        try runs { delayed in
            let remote = try delayed.remote([1])
            let (log, list) = onMain { (SequenceLog(), delayed.collection(remote)) }
            let token = onMain { log.follow(list) }
            try await delayed.rest()
            onMain {
                #expect(
                    log.take() == [
                        "new loading notExist []",
                        "loading loading > loaded", "status notExist > fresh", #"data fresh ["1"]"#,
                        #"loaded fresh ["1"]"#,
                    ])
            }
            token.invalidate()
        }
    }

    @Test func aCollectionWithLocalData() throws {
        try runs { delayed in
            try await delayed.put(1)
            let remote = try delayed.remote([1, 2])
            let (log, list) = onMain { (SequenceLog(), delayed.collection(remote)) }
            let token = onMain { log.follow(list) }
            try await delayed.rest()
            onMain {
                #expect(
                    log.take() == [
                        "new loading notExist []",
                        "status notExist > local", #"data local ["1"]"#, #"loading local ["1"]"#,
                        "loading loading > loaded", "status local > fresh", #"data fresh ["1", "2"]"#,
                        #"loaded fresh ["1", "2"]"#,
                    ])
            }
            token.invalidate()
        }
    }

    /// The records are not replaced, but a handler that waits for fresh data gets them.
    @Test func aCollectionWhoseLocalDataAreThoseOfTheServer() throws {
        try runs { delayed in
            try await delayed.put(1)
            let remote = try delayed.remote([1])
            let (log, list) = onMain { (SequenceLog(), delayed.collection(remote)) }
            let token = onMain { log.follow(list) }
            let changed = onMain {
                list.observe { _, change in if change.isDataUnchanged { log.append("unchanged") } }
            }
            try await delayed.rest()
            onMain {
                #expect(
                    log.take() == [
                        "new loading notExist []",
                        "status notExist > local", #"data local ["1"]"#, #"loading local ["1"]"#,
                        "loading loading > loaded", "status local > fresh", #"data fresh ["1"]"#,
                        #"loaded fresh ["1"]"#, "unchanged",
                    ])
            }
            withExtendedLifetime((token, changed)) {}
        }
    }

    @Test func aCollectionThatIsFreshAlready() throws {
        try runs { delayed in
            try await delayed.put(1)
            let first = try delayed.remote([1])
            let earlier = onMain { delayed.collection(first) }
            try await delayed.rest()
            let remote = try delayed.remote([])
            let (log, list) = onMain { (SequenceLog(), delayed.collection(remote)) }
            let token = onMain { log.follow(list) }
            try await delayed.rest()
            onMain {
                #expect(
                    log.take() == [
                        "new loading notExist []",
                        "loading loading > notLoading", "status notExist > fresh", #"data fresh ["1"]"#,
                        #"notLoading fresh ["1"]"#,
                    ])
            }
            #expect(remote.askedCount == 0)
            withExtendedLifetime((earlier, token)) {}
        }
    }

    @Test func aCollectionWhoseServerFails() throws {
        try runs { delayed in
            try await delayed.put(1)
            let remote = CollectionRemote(delayed, [.init(messages: [], error: .other(detail: "unreachable"))])
            let (log, list) = onMain { (SequenceLog(), delayed.collection(remote)) }
            let token = onMain { log.follow(list) }
            try await delayed.rest()
            onMain {
                #expect(
                    log.take() == [
                        "new loading notExist []",
                        "status notExist > local", #"data local ["1"]"#, #"loading local ["1"]"#,
                        "loading loading > error", "error", #"error local ["1"]"#,
                    ])
            }
            token.invalidate()
        }
    }

    /// Each page of the server is one update.
    @Test func anotherPageOfACollection() throws {
        try runs { delayed in
            let key = ScriptedRemote.end
            let remote = try CollectionRemote(
                delayed,
                [
                    .init(messages: delayed.messages([1, 2]), loadedRange: LoadedRange(end: key(2))),
                    .init(messages: delayed.messages([3, 4]), loadedRange: LoadedRange(end: key(4))),
                ])
            let (log, list) = onMain { (SequenceLog(), delayed.collection(remote, pageSize: 2)) }
            let token = onMain { log.follow(list) }
            try await delayed.rest()
            _ = onMain { log.take() }
            onMain { list.nextPage() }
            onMain { list.nextPage() }
            try await delayed.rest()
            onMain {
                #expect(
                    log.take() == [
                        "loading loaded > loading", #"loading fresh ["1", "2"] next"#,
                        "loading loading > loaded", #"data fresh ["1", "2", "3", "4"]"#,
                        #"loaded fresh ["1", "2", "3", "4"]"#,
                    ])
            }
            #expect(remote.askedCount == 2)
            token.invalidate()
        }
    }

    @Test func anEarlierPageOfACollection() throws {
        try runs { delayed in
            let key = ScriptedRemote.start
            let remote = try CollectionRemote(
                delayed,
                [
                    .init(messages: delayed.messages([3, 4]), loadedRange: LoadedRange(start: key(3))),
                    .init(messages: delayed.messages([1, 2]), loadedRange: LoadedRange()),
                ])
            let (log, list) = onMain { (SequenceLog(), delayed.collection(remote, pageSize: 2, anchor: .last)) }
            let token = onMain { log.follow(list) }
            try await delayed.rest()
            _ = onMain { log.take() }
            onMain {
                #expect(list.hasPrevious && !list.isLoadingPrevious && !list.isLoadingNext)
                list.previousPage()
                list.previousPage()
            }
            try await delayed.rest()
            onMain {
                #expect(
                    log.take() == [
                        "loading loaded > loading", #"loading fresh ["3", "4"] previous"#,
                        "loading loading > loaded", #"data fresh ["1", "2", "3", "4"]"#,
                        #"loaded fresh ["1", "2", "3", "4"]"#,
                    ])
                #expect(!list.hasPrevious && !list.isLoadingPrevious && !list.isLoadingNext)
            }
            #expect(remote.askedCount == 2)
            token.invalidate()
        }
    }

    @Test func observingACollectionOnce() throws {
        try runs { delayed in
            let remote = try delayed.remote([1])
            let (log, list) = onMain { (SequenceLog(), delayed.collection(remote)) }
            let token = onMain {
                list.observeOnce { list, change in
                    log.append("\(list.loadingStatus) \(list.dataStatus) \(change.snapshot.map(\.text))")
                }
            }
            try await delayed.rest()
            try await delayed.put(2)
            try await delayed.rest()
            onMain { #expect(log.take() == [#"loaded fresh ["1"]"#]) }
            withExtendedLifetime(token) {}
        }
    }

    /// The stored data end it: the server's are not waited for.
    @Test func observingAStoredCollectionOnce() throws {
        try runs { delayed in
            try await delayed.put(1)
            let remote = try delayed.remote([1, 2])
            let (log, list) = onMain { (SequenceLog(), delayed.collection(remote)) }
            let token = onMain {
                list.observeOnce { list, change in
                    log.append("\(list.loadingStatus) \(list.dataStatus) \(change.snapshot.map(\.text))")
                }
            }
            try await delayed.rest()
            try await delayed.put(3)
            try await delayed.rest()
            onMain {
                #expect(log.take() == [#"loading local ["1"]"#])
                #expect(list.dataStatus == .fresh && list.count == 3)
            }
            withExtendedLifetime(token) {}
        }
    }

    // MARK: - Objects

    @Test func anObjectWithoutLocalData() throws {
        try runs { delayed in
            let remote = try delayed.objectRemote("1")
            let (log, object) = onMain { (SequenceLog(), delayed.object(remote)) }
            let token = onMain { log.follow(object) }
            try await delayed.rest()
            onMain {
                #expect(
                    log.take() == [
                        "new loading notExist -",
                        "loading loading > loaded", "status notExist > fresh", "data fresh 1", "loaded fresh 1",
                    ])
            }
            token.invalidate()
        }
    }

    @Test func anObjectWithLocalData() throws {
        try runs { delayed in
            try await delayed.put(1)
            let remote = try delayed.objectRemote("edited")
            let (log, object) = onMain { (SequenceLog(), delayed.object(remote)) }
            let token = onMain { log.follow(object) }
            try await delayed.rest()
            onMain {
                #expect(
                    log.take() == [
                        "new loading notExist -",
                        "status notExist > local", "data local 1", "loading local 1",
                        "loading loading > loaded", "status local > fresh", "data fresh edited", "loaded fresh edited",
                    ])
            }
            token.invalidate()
        }
    }

    @Test func anObjectThatIsFreshAlready() throws {
        try runs { delayed in
            try await delayed.put(1)
            let first = try delayed.objectRemote("1")
            let earlier = onMain { delayed.object(first) }
            try await delayed.rest()
            let remote = ObjectRemote(delayed, [])
            let (log, object) = onMain { (SequenceLog(), delayed.object(remote)) }
            let token = onMain { log.follow(object) }
            try await delayed.rest()
            onMain {
                #expect(
                    log.take() == [
                        "new loading notExist -",
                        "loading loading > notLoading", "status notExist > fresh", "data fresh 1",
                        "notLoading fresh 1",
                    ])
            }
            #expect(remote.askedCount == 0)
            withExtendedLifetime((earlier, token)) {}
        }
    }

    @Test func anObjectThatTheServerDoesNotHave() throws {
        try runs { delayed in
            let remote = ObjectRemote(delayed, [.init(messages: [])])
            let (log, object) = onMain { (SequenceLog(), delayed.object(remote)) }
            let token = onMain { log.follow(object) }
            try await delayed.rest()
            onMain {
                #expect(
                    log.take() == ["new loading notExist -", "loading loading > loaded", "loaded notExist -"])
            }
            token.invalidate()
        }
    }

    @Test func observingAnObjectOnce() throws {
        try runs { delayed in
            let remote = try delayed.objectRemote("1")
            let (log, object) = onMain { (SequenceLog(), delayed.object(remote)) }
            let token = onMain {
                object.observeOnce { object, change in
                    log.append("\(object.loadingStatus) \(object.dataStatus) \(change.snapshot?.text ?? "-")")
                }
            }
            try await delayed.rest()
            try await delayed.put(1, "edited")
            try await delayed.rest()
            onMain { #expect(log.take() == ["loaded fresh 1"]) }
            withExtendedLifetime(token) {}
        }
    }

    @Test func observingAStoredObjectOnce() throws {
        try runs { delayed in
            try await delayed.put(1)
            let remote = try delayed.objectRemote("edited")
            let (log, object) = onMain { (SequenceLog(), delayed.object(remote)) }
            let token = onMain {
                object.observeOnce { object, change in
                    log.append("\(object.loadingStatus) \(object.dataStatus) \(change.snapshot?.text ?? "-")")
                }
            }
            try await delayed.rest()
            onMain {
                #expect(log.take() == ["loading local 1"])
                #expect(object.dataStatus == .fresh && object.snapshot?.text == "edited")
            }
            withExtendedLifetime(token) {}
        }
    }

    @Test func theRawValuesAreTheDocumentedOnes() {
        #expect([LoadingStatus.notLoading, .loading, .loaded, .error].map(\.rawValue) == [0, 1, 2, 3])
        #expect([DataStatus.notExist, .local, .fresh, .error].map(\.rawValue) == [0, 1, 2, 3])
    }
}

extension DelayedWorld {
    fileprivate func messages(_ numbers: [Int]) throws -> [RemoteMessage] {
        try numbers.map { try Sample.placed($0, at: Int64($0), in: world.general) }
    }

    /// A server with these messages.
    fileprivate func remote(_ numbers: [Int]) throws -> DelayedRemote<MessageQuery.Cursor> {
        DelayedRemote(self, [.init(messages: try messages(numbers))])
    }

    fileprivate func objectRemote(_ text: String) throws -> DelayedRemote<Int64> {
        DelayedRemote(self, [.init(messages: [try Sample.placed(1, at: 1, text, in: world.general)])])
    }

    @MainActor
    fileprivate func collection(
        _ remote: DelayedRemote<MessageQuery.Cursor>, pageSize: Int = 20,
        anchor: LiveAnchor<MessageQuery.Cursor> = .first
    ) -> LiveCollection<Message> {
        engine.collection(
            MessagesQuery(.channel(world.general), anchor: anchor, pageSize: pageSize), remote: remote)
    }

    @MainActor
    fileprivate func object(_ remote: DelayedRemote<Int64>) -> LiveObject<Message> {
        engine.object(OneMessageQuery(Sample.id(1)), remote: remote)
    }
}
