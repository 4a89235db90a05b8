import CausewayModels
import CausewayStorage

extension BlobStoreConformance {
    static let referenceRules: [Rule] = [
        Rule("equal files are one blob until the last reference goes") { factory in
            let store = try await factory.make(BlobBounds())
            let bytes = bytes(1)
            let first = try await store.add(fileAt: factory.write(bytes, "a"), for: reference(1), bytesMax: .max)
            let second = try await store.add(fileAt: factory.write(bytes, "b"), for: reference(2), bytesMax: .max)
            let third = try await store.add(fileAt: factory.write(bytes, "c"), for: reference(3, "bob"), bytesMax: .max)
            try requireEqual([second.sha256, third.sha256], [first.sha256, first.sha256], "the hashes")
            try requireEqual(second.name, "b", "the name")
            try requireEqual(try await store.usage(), BlobUsage(blobs: 1, bytes: 100), "the usage")
            try await store.release([reference(1)])
            try await store.release([reference(3, "bob")])
            try require(try await content(store, first.sha256) == bytes, "a blob that is held is gone or differs")
            try await store.release([reference(2)])
            let error = await error { () throws(BlobError) in _ = try await store.open(first.sha256) }
            try requireEqual(error, .missing(sha256: first.sha256), "the error after the last reference went")
            try requireEqual(try await store.usage(), BlobUsage(blobs: 0, bytes: 0), "the usage")
        },
        Rule("different files are different blobs") { factory in
            let store = try await factory.make(BlobBounds())
            let first = try await store.add(fileAt: factory.write(bytes(1), "a"), for: reference(1), bytesMax: .max)
            let second = try await store.add(fileAt: factory.write(bytes(2), "a"), for: reference(2), bytesMax: .max)
            try require(first.sha256 != second.sha256, "they have one hash")
            try await store.release([reference(1)])
            try require(try await content(store, second.sha256) == bytes(2), "the other one differs")
        },
        Rule("a message may hold several blobs") { factory in
            let store = try await factory.make(BlobBounds())
            _ = try await store.add(fileAt: factory.write(bytes(1), "a"), for: reference(1), bytesMax: .max)
            _ = try await store.add(fileAt: factory.write(bytes(2), "b"), for: reference(1), bytesMax: .max)
            _ = try await store.add(fileAt: factory.write(bytes(2), "b"), for: reference(1), bytesMax: .max)
            try requireEqual(try await store.usage(), BlobUsage(blobs: 2, bytes: 200), "the usage")
            let again = try await factory.reopen(store)
            try requireEqual(try await again.references(of: reference(1).account), [reference(1)], "the references")
            try await again.release([reference(1)])
            try requireEqual(try await again.usage(), BlobUsage(blobs: 0, bytes: 0), "the usage")
        },
        Rule("references belong to an account") { factory in
            let store = try await factory.make(BlobBounds())
            let path = try factory.write(bytes(1), "a")
            let ann = try (1...3).map { try reference($0) }
            let bob = try reference(1, "bob")
            for reference in ann + [bob] { _ = try await store.add(fileAt: path, for: reference, bytesMax: .max) }
            let again = try await factory.reopen(store)
            try requireEqual(Set(try await again.references(of: ann[0].account)), Set(ann), "the references of one")
            try requireEqual(try await again.references(of: bob.account), [bob], "the references of the other")
            try await again.release(ann)
            try requireEqual(try await again.references(of: ann[0].account), [], "the references of one")
            try requireEqual(try await again.usage().blobs, 1, "the blobs that the other one holds")
        },
        Rule("unknown references are ignored") { factory in
            let store = try await factory.make(BlobBounds())
            let found = try await store.add(fileAt: factory.write(bytes(1), "a"), for: reference(1), bytesMax: .max)
            try await store.release([])
            try await store.release([reference(2), reference(1, "bob")])
            try require(try await content(store, found.sha256) == bytes(1), "the blob differs")
            try await store.release([reference(1), reference(1)])
            try await store.release([reference(1)])
            try requireEqual(try await store.usage(), BlobUsage(blobs: 0, bytes: 0), "the usage")
        },
        Rule("an open blob remains readable") { factory in
            let store = try await factory.make(BlobBounds())
            let bytes = bytes(1)
            let found = try await store.add(fileAt: factory.write(bytes, "a"), for: reference(1), bytesMax: .max)
            let blob = try await store.open(found.sha256)
            try await store.release([reference(1)])
            try require(try await blob.read(at: 0, count: 100) == bytes, "the bytes differ")
        },
        Rule("a removed file can be added again") { factory in
            let store = try await factory.make(BlobBounds())
            let path = try factory.write(bytes(1), "a")
            for _ in 0..<3 {
                let found = try await store.add(fileAt: path, for: reference(1), bytesMax: .max)
                try require(try await content(store, found.sha256) == bytes(1), "the bytes differ")
                try await store.release([reference(1)])
            }
        },
        Rule("calls at once do not disturb each other") { factory in
            let store = try await factory.make(BlobBounds())
            let paths = try (0..<4).map { try factory.write(bytes(UInt64($0)), "\($0)") }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        let reference = try reference(UInt64(number))
                        _ = try await store.add(fileAt: paths[number % 4], for: reference, bytesMax: .max)
                        if number % 8 >= 2 { try await store.release([reference]) }
                    }
                }
                try await group.waitForAll()
            }
            // The references 0 and 1 of every 8 remain: two files, five times each.
            try requireEqual(try await store.usage(), BlobUsage(blobs: 2, bytes: 200), "the usage")
            try requireEqual(try await store.references(of: reference(0).account).count, 10, "the references")
            let again = try await factory.reopen(store)
            try requireEqual(try await again.usage(), BlobUsage(blobs: 2, bytes: 200), "the usage")
            for number in 0..<2 {
                let found = try await again.add(fileAt: paths[number], for: reference(99), bytesMax: .max)
                try require(try await content(again, found.sha256) == bytes(UInt64(number)), "the bytes differ")
            }
        },
    ]

    static let boundRules: [Rule] = [
        Rule("a file has a limit") { factory in
            let store = try await factory.make(BlobBounds(fileBytesMax: 100))
            let reference = try reference(1)
            let large = try factory.write(bytes(1, count: 101), "large")
            let small = try factory.write(bytes(1), "small")
            let errors = [
                await error { () throws(BlobError) in
                    _ = try await store.add(fileAt: large, for: reference, bytesMax: .max)
                },
                await error { () throws(BlobError) in
                    _ = try await store.add(fileAt: small, for: reference, bytesMax: 99)
                },
            ]
            let expected: [BlobError] = [
                .fileTooLarge(path: large, bytes: 101, limit: 100), .fileTooLarge(path: small, bytes: 100, limit: 99),
            ]
            try requireEqual(errors, expected, "the errors")
            try requireEqual(try await store.usage(), BlobUsage(blobs: 0, bytes: 0), "the usage")
            _ = try await store.add(fileAt: small, for: reference, bytesMax: 100)
        },
        Rule("all blobs have a limit") { factory in
            let store = try await factory.make(BlobBounds(bytesMax: 250))
            let paths = try (0..<3).map { try factory.write(bytes(UInt64($0)), "\($0)") }
            for number in 0..<2 {
                _ = try await store.add(fileAt: paths[number], for: reference(UInt64(number)), bytesMax: .max)
            }
            let third = try reference(2)
            let error = await error { () throws(BlobError) in
                _ = try await store.add(fileAt: paths[2], for: third, bytesMax: .max)
            }
            try requireEqual(error, .storageFull(bytes: 200, limit: 250), "the error")
            try requireEqual(try await store.usage(), BlobUsage(blobs: 2, bytes: 200), "the usage")
            try await store.release([reference(0)])
            _ = try await store.add(fileAt: paths[2], for: third, bytesMax: .max)
        },
        Rule("the number of blobs has a limit") { factory in
            let store = try await factory.make(BlobBounds(blobsMax: 1))
            _ = try await store.add(fileAt: factory.write(bytes(1), "a"), for: reference(1), bytesMax: .max)
            let second = try reference(2)
            let path = try factory.write(bytes(2), "b")
            let error = await error { () throws(BlobError) in
                _ = try await store.add(fileAt: path, for: second, bytesMax: .max)
            }
            try requireEqual(error, .tooManyBlobs(limit: 1), "the error")
        },
    ]
}
