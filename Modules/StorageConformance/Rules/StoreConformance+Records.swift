import CausewayModels
import CausewayStorage

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension StoreConformance {
    static let recordRules: [Rule] = [
        Rule("a list's pages: by key, then by id, in both directions") { factory in
            let store = try await factory.started()
            var model = RecordModel()
            // Two share a key, one has the empty key, and the key of one is the start of another's.
            let keys: [(String, ListKey)] = [
                ("d", ListKey("m")), ("c", ListKey("m")), ("z", ListKey("")), ("a", ListKey("mm")),
                ("b", ListKey("\u{10FFFF}")), ("e", ListKey("A")),
            ]
            let records = keys.map { id, key in
                Sample.record(
                    Sample.album, id, version: 1,
                    entries: [ListEntry("all", key: key), ListEntry("byOwner", scope: id, key: ListKey(5))])
            }
            try await store.commit([.mergeRecords(RecordMerge(records))])
            model.commit([.mergeRecords(RecordMerge(records))])
            let lists = [
                Sample.albums, RecordList(kind: Sample.album, name: "byOwner", scope: "c"),
                RecordList(kind: Sample.album, name: "byOwner"), RecordList(kind: "other", name: "all"),
            ]
            for limit in 1...7 {
                try await model.check(store, lists: lists, ids: keys.map(\.0) + ["missing"], pageLimit: limit)
            }
            let ids = try await store.allRecords(RecordListQuery(list: Sample.albums)).map(\.id)
            try requireEqual(ids, ["z", "e", "c", "d", "a", "b"], "the order of the list")
            // From a position without a record, in both directions.
            let after = ListCursor(key: ListKey("m"), id: "cc")
            let up = RecordListQuery(list: Sample.albums, after: after, limit: 2)
            let down = RecordListQuery(list: Sample.albums, direction: .descending, after: after, limit: 2)
            try requireEqual(try await store.records(up).records.map(\.id), ["d", "a"], "above")
            try requireEqual(try await store.records(down).records.map(\.id), ["c", "e"], "below")
        },
        Rule("a record that is not newer changes nothing") { factory in
            let store = try await factory.started()
            let first = Sample.record(Sample.album, "a", version: 5, value: "five")
            try await store.commit([.mergeRecords(RecordMerge([first]))])
            let seen = FeedFold()
            let subscription = store.subscribe(seen.receive)
            for version in [Int64(5), 4, 0] {
                let other = Sample.record(Sample.album, "a", version: version, value: "another", entries: [])
                try await store.commit([.mergeRecords(RecordMerge([other]))])
            }
            try await store.commit([.removeRecord(Sample.album, "missing")])
            try requireEqual(try await store.record(Sample.album, "a"), first, "the record")
            try requireEqual(seen.commits.flatMap(\.changes), [], "changes")
            let newer = Sample.record(
                Sample.album, "a", version: 6, entries: [ListEntry("all", key: ListKey("moved"))])
            try await store.commit([.mergeRecords(RecordMerge([newer]))])
            try requireEqual(seen.commits.last?.changes, [.record(before: first, after: newer)], "the change")
            try requireEqual(try await store.allRecords(RecordListQuery(list: Sample.albums)), [newer], "the list")
            subscription.cancel()
        },
        Rule("a page removes the records in its range that it does not list") { factory in
            let store = try await factory.started()
            // More than any store reads at once.
            let all = (0..<300).map { number in
                Sample.record(
                    Sample.album, "\(1000 + number)", version: 1,
                    entries: [ListEntry("all", key: ListKey(Int64(number)))])
            }
            try await store.commit([.mergeRecords(RecordMerge(all))])
            let (from, through) = (all[10].cursor(in: Sample.albums), all[290].cursor(in: Sample.albums))
            let page = RecordMerge(
                [all[20]], coverage: ListRange(list: Sample.albums, after: from, through: through),
                retained: [all[30].id])
            try await store.commit([.mergeRecords(page)])
            let expected = Array(all[...10]) + [all[20], all[30]] + Array(all[291...])
            let list = RecordListQuery(list: Sample.albums, limit: 1000)
            try requireEqual(try await store.allRecords(list), expected, "the list")
            try requireEqual(try await store.record(Sample.album, all[50].id), nil, "a record that was removed")
            let whole = RecordMerge([], coverage: ListRange(list: Sample.albums, direction: .descending))
            try await store.commit([.mergeRecords(whole)])
            try requireEqual(try await store.allRecords(list), [], "the list")
        },
        Rule("the records of one account are not those of another") { factory in
            var store = try await factory.started()
            let (mine, other) = (Sample.session(1), Sample.session(2, of: Sample.other))
            let record = Sample.record(Sample.album, "a", version: 5)
            let foreign = Sample.record(Sample.album, "a", version: 3, value: "grace's")
            try await store.commit([.saveSession(mine), .mergeRecords(RecordMerge([record]))])
            try await store.commit([.saveSession(other)])
            try requireEqual(try await store.record(Sample.album, "a"), nil, "the record of another account")
            try requireEqual(
                try await store.records(RecordListQuery(list: Sample.albums)).records, [], "the list of another")
            try await store.commit([
                .removeRecord(Sample.album, "a"),
                .mergeRecords(RecordMerge([], coverage: ListRange(list: Sample.albums))),
                .mergeRecords(RecordMerge([foreign])),
            ])
            try requireEqual(try await store.record(Sample.album, "a"), foreign, "the account's own record")
            store = try await factory.restarted(store)
            try requireEqual(try await store.record(Sample.album, "a"), foreign, "the record after a restart")
            try await store.commit([.saveSession(mine)])
            try requireEqual(try await store.record(Sample.album, "a"), record, "the first account's record")
            try requireEqual(
                try await store.allRecords(RecordListQuery(list: Sample.albums)), [record], "the first account's list")
        },
        Rule("in another history every state of a record counts as newer") { factory in
            let store = try await factory.started()
            var record = Sample.record(Sample.album, "a", version: 5)
            try await store.commit([.mergeRecords(RecordMerge([record]))])
            try await store.commit([
                .followHistory(Sample.history(1), Sample.otherOutboxID, marks: [:], at: Sample.time(9))
            ])
            record.version = 0
            try requireEqual(try await store.record(Sample.album, "a"), record, "the record in another history")
            let restored = Sample.record(Sample.album, "a", version: 2, value: "restored")
            try await store.commit([.mergeRecords(RecordMerge([restored]))])
            try requireEqual(try await store.record(Sample.album, "a"), restored, "the record as restored")
        },
        Rule("drawn histories of records: the store, its feed and the model agree", isLong: true) { factory in
            for seed in 0..<UInt64(max(1, factory.histories / 3)) {
                do {
                    try await liveWithRecords(seed, factory)
                } catch let failure as ConformanceFailure {
                    throw ConformanceFailure(
                        detail: "history \(seed): \(failure.detail)", file: failure.file, line: failure.line)
                }
            }
        },
    ]

    private static func liveWithRecords(_ seed: UInt64, _ factory: StoreFactory) async throws {
        var generator = RecordGenerator(seed: seed)
        var store = try await factory.started()
        var model = RecordModel()
        for step in 0..<40 {
            let fold = FeedFold()
            let subscription = store.subscribe(fold.receive)
            let before = model
            let mutations = (0...generator.below(3)).map { _ in generator.mutation() }
            try await store.commit(mutations)
            model.commit(mutations)
            try checkFeed(fold.commits.flatMap(\.changes), from: before, to: model)
            subscription.cancel()
            if generator.below(20) == 0 { store = try await factory.restarted(store) }
            guard step.isMultiple(of: 4) else { continue }
            try await model.check(
                store, lists: RecordGenerator.lists, ids: RecordGenerator.ids, pageLimit: 1 + generator.below(5))
        }
        await store.close()
    }

    /// Applies the changes one after the other, each to the state that it names.
    private static func checkFeed(_ changes: [RecordChange], from before: RecordModel, to after: RecordModel) throws {
        var records = Set(before.records)
        for case .record(let old, let new) in changes {
            try require(old != new, "a change that changes nothing: \(String(describing: old))")
            if let old { try require(records.remove(old) != nil, "a change of another state than \(old)") }
            if let new { records.insert(new) }
        }
        try requireEqual(records, Set(after.records), "the records as the feed reported them")
    }
}

extension Sample {
    static let album: RecordKind = "album"
    static let albums = RecordList(kind: album, name: "all")

    static func record(
        _ kind: RecordKind, _ id: String, version: Int64, value: String = "value", entries: [ListEntry]? = nil
    ) -> StoredRecord {
        StoredRecord(
            kind: kind, id: id, version: version, value: Data("{\"text\":\"\(value)\"}".utf8),
            entries: entries ?? [ListEntry("all", key: ListKey(id))])
    }
}
