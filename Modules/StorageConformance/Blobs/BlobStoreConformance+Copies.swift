import CausewayModels
import CausewayStorage

extension BlobStoreConformance {
    static let copyRules: [Rule] = [
        Rule("a copy is complete, and its own") { factory in
            let store = try await factory.make(BlobBounds())
            let bytes = bytes(1, count: 300_000)
            let path = try factory.write(bytes, "a b.bin")
            let found = try await store.add(fileAt: path, for: reference(1), bytesMax: .max)
            try requireEqual(found.size, 300_000, "the size")
            try requireEqual(found.name, "a b.bin", "the name")
            try requireEqual(found.contentType, "application/octet-stream", "the media type")
            try require(Attachment.isHash(found.sha256), "the hash is not one")
            try factory.remove(path)
            try require(try await content(store, found.sha256) == bytes, "the bytes changed with the source")
            try requireEqual(try await store.usage(), BlobUsage(blobs: 1, bytes: 300_000), "the usage")
        },
        Rule("a file without bytes is a file") { factory in
            let store = try await factory.make(BlobBounds())
            let found = try await store.add(fileAt: factory.write([], "empty"), for: reference(1), bytesMax: 0)
            try requireEqual(found.size, 0, "the size")
            try requireEqual(try await content(store, found.sha256), [], "the bytes")
        },
        Rule("any part of a blob can be read") { factory in
            let store = try await factory.make(BlobBounds())
            let bytes = bytes(1)
            let found = try await store.add(fileAt: factory.write(bytes, "a"), for: reference(1), bytesMax: .max)
            let blob = try await store.open(found.sha256)
            try requireEqual(blob.size, 100, "the size")
            for (offset, count) in [(0, 100), (0, 1), (99, 1), (99, 50), (40, 20), (100, 1), (1000, 1), (0, 0)] {
                let expected = Array(bytes.dropFirst(offset).prefix(count))
                let part = try await blob.read(at: Int64(offset), count: count)
                try require(part == expected, "\(count) bytes from \(offset) differ")
            }
            try requireEqual(try await blob.read(at: -1, count: 1), [], "the bytes before the start")
        },
        Rule("a part has a limit") { factory in
            let store = try await factory.make(BlobBounds())
            let bytes = bytes(1, count: Limits.blobPartBytesMax + 1)
            let found = try await store.add(fileAt: factory.write(bytes, "a"), for: reference(1), bytesMax: .max)
            let part = try await store.open(found.sha256).read(at: 0, count: .max)
            try requireEqual(part.count, Limits.blobPartBytesMax, "the bytes of a part")
        },
        Rule("copies survive the process") { factory in
            let first = try await factory.make(BlobBounds())
            let bytes = bytes(1)
            let found = try await first.add(fileAt: factory.write(bytes, "a"), for: reference(1), bytesMax: .max)
            let second = try await factory.reopen(first)
            try require(try await content(second, found.sha256) == bytes, "the bytes differ")
            try requireEqual(try await second.usage(), BlobUsage(blobs: 1, bytes: 100), "the usage")
            try requireEqual(
                try await second.references(of: reference(1).account), [reference(1)], "the references")
            try await second.release([reference(1)])
            let third = try await factory.reopen(second)
            try requireEqual(try await third.usage(), BlobUsage(blobs: 0, bytes: 0), "the usage after the release")
            try requireEqual(try await third.references(of: reference(1).account), [], "the references")
        },
        Rule("a missing source leaves nothing") { factory in
            let store = try await factory.make(BlobBounds())
            let path = try factory.write([1], "a")
            try factory.remove(path)
            let reference = try reference(1)
            let error = await error { () throws(BlobError) in
                _ = try await store.add(fileAt: path, for: reference, bytesMax: .max)
            }
            try requireEqual(error, .sourceMissing(path: path), "the error")
            try requireEqual(try await store.usage(), BlobUsage(blobs: 0, bytes: 0), "the usage")
            try requireEqual(try await store.references(of: reference.account), [], "the references")
        },
        Rule("a closed store refuses calls") { factory in
            let store = try await factory.make(BlobBounds())
            let reference = try reference(1)
            let path = try factory.write([1], "a")
            let found = try await store.add(fileAt: path, for: reference, bytesMax: .max)
            await store.close()
            await store.close()
            let errors = [
                await error { () throws(BlobError) in
                    _ = try await store.add(fileAt: path, for: reference, bytesMax: .max)
                },
                await error { () throws(BlobError) in _ = try await store.open(found.sha256) },
                await error { () throws(BlobError) in try await store.release([reference]) },
                await error { () throws(BlobError) in _ = try await store.references(of: reference.account) },
                await error { () throws(BlobError) in _ = try await store.usage() },
            ]
            try requireEqual(errors, Array(repeating: .closed, count: 5), "the errors")
        },
    ]
}
