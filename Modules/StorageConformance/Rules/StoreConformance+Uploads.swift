import CausewayModels
import CausewayStorage

extension StoreConformance {
    static let uploadRules: [Rule] = [
        Rule("every step of an upload does to every state what the port says", isLong: true) { factory in
            for state in UploadSituation.allCases {
                for step in uploadSteps { try await examine(step, in: state, factory) }
            }
        },
        Rule("an upload continues in the next run where it was, and its receipt is kept") { factory in
            var store = try await factory.started()
            _ = try await store.enqueue(Sample.draft(1, Sample.image(1), lane: .media))
            _ = try await store.enqueue(Sample.draft(2, Sample.image(2), lane: .media))
            try await store.commit([
                upload(1, .begin(attempts: 1)), upload(1, .open(session: "/uploads/1")),
                upload(2, .begin(attempts: 2)), upload(2, .complete(receipt: "receipt")),
            ])
            store = try await factory.restarted(store)
            let first = try await store.message(Sample.id(1))
            try requireEqual(first?.syncState, .created, "the state of an interrupted upload")
            try requireEqual(
                first?.upload,
                AttachmentUpload(total: 1001, state: .pending(session: "/uploads/1", attempts: 1)),
                "the interrupted upload")
            let receipt = AttachmentUpload(total: 1002, state: .complete(receipt: "receipt"))
            try requireEqual(try await store.message(Sample.id(2))?.upload, receipt, "the complete upload")
            let entries = try await store.outbox().entries
            try requireEqual(entries.map(\.upload), [first?.upload, receipt], "the uploads of the links")
        },
        Rule("a failed message keeps its receipt, and a resent one has it") { factory in
            let store = try await factory.started()
            _ = try await store.enqueue(Sample.draft(1, Sample.image(1), lane: .media))
            let receipt = AttachmentUpload(total: 1001, state: .complete(receipt: "receipt"))
            try await store.commit([
                upload(1, .begin(attempts: 1)), upload(1, .complete(receipt: "receipt")),
                .fail(Sample.id(1), Sample.failure("forbidden"), inDoubt: false),
            ])
            try requireEqual(try await store.message(Sample.id(1))?.upload, receipt, "the receipt after a failure")
            try await store.commit([.resend(Sample.id(1), at: Sample.time(9))])
            try requireEqual(try await store.outbox().entries.first?.upload, receipt, "the receipt after a resend")
            try await store.commit([.fail(Sample.id(1), Sample.failure("attachmentUnknown"), inDoubt: false)])
            try requireEqual(
                try await store.message(Sample.id(1))?.upload, AttachmentUpload(total: 1001),
                "the upload of a file that the server does not have")
        },
        Rule("in another history, and in another outbox, every attachment is uploaded again") { factory in
            let store = try await factory.started()
            for number in 1...3 {
                _ = try await store.enqueue(Sample.draft(number, Sample.image(number), lane: .media))
            }
            try await store.commit(
                (1...3).flatMap { [upload($0, .begin(attempts: 1)), upload($0, .complete(receipt: "receipt"))] }
                    + [
                        .attempt(Sample.id(1), previous: 0, attempts: 1, at: Sample.time(1)),
                        .deliver(Sample.id(1), Sample.serverPosition(3), at: Sample.time(2)),
                        .fail(Sample.id(2), Sample.failure("forbidden"), inDoubt: false),
                    ])
            try await store.commit([
                .followHistory(Sample.history(2), Sample.otherOutboxID, marks: [:], at: Sample.time(9))
            ])
            for number in 1...3 {
                try requireEqual(
                    try await store.message(Sample.id(number))?.upload,
                    AttachmentUpload(total: 1000 + Int64(number)), "the upload of message \(number)")
            }
            try await store.commit([upload(3, .begin(attempts: 1)), upload(3, .open(session: "/uploads/3"))])
            try await store.commit([.forkOutbox(Sample.outboxID, at: Sample.time(9))])
            try requireEqual(
                try await store.message(Sample.id(3))?.upload, AttachmentUpload(total: 1003), "the upload of a copy")
        },
    ]

    private static func upload(_ number: Int, _ step: UploadStep) -> Mutation {
        .upload(Sample.id(number), step, at: Sample.time(7))
    }

    /// The states in which a step can find a message.
    private enum UploadSituation: CaseIterable {
        case created, uploading, resumed, complete, syncing, failed, repeated, text, synced, parked

        var history: [Mutation] {
            let begun = [upload(1, .begin(attempts: 1)), upload(1, .open(session: "/uploads/7"))]
            let complete = begun + [upload(1, .complete(receipt: "receipt"))]
            let attempt = Mutation.attempt(Sample.id(1), previous: 0, attempts: 1, at: Sample.time(8))
            switch self {
            case .created, .parked: return []
            case .uploading: return begun
            case .resumed: return begun + [upload(1, .requeue(session: "/uploads/7", attempts: 2))]
            case .complete: return complete
            case .syncing: return complete + [attempt]
            case .failed: return begun + [.fail(Sample.id(1), Sample.failure("f"), inDoubt: false)]
            case .repeated: return complete + [attempt, upload(1, .startAgain)]
            case .text: return [.rewrite(Sample.id(1), .text("no file"))]
            case .synced: return complete + [.deliver(Sample.id(1), Sample.serverPosition(3), at: Sample.time(9))]
            }
        }
    }

    private static var uploadSteps: [Mutation] {
        let id = Sample.id(1)
        return [
            upload(1, .begin(attempts: 3)), upload(1, .open(session: "/uploads/8")), upload(1, .progress),
            upload(1, .requeue(session: nil, attempts: 2)), upload(1, .requeue(session: "/uploads/9", attempts: 0)),
            upload(1, .complete(receipt: "another")), upload(1, .startAgain), .resend(id, at: Sample.time(9)),
            .attempt(id, previous: 0, attempts: 1, at: Sample.time(9)), .requeue(id, attempts: 1, at: Sample.time(9)),
            .fail(id, Sample.failure("late"), inDoubt: false),
            .fail(id, Sample.failure("attachmentUnknown"), inDoubt: true),
            .rewrite(id, Sample.image(2)), .rewrite(id, Sample.image(1)), .rewrite(id, .text("no file")),
            .forkOutbox(OutboxID(UUIDv7(high: 5, low: 5)), at: Sample.time(9)), .endSession(Sample.ended),
            .followHistory(Sample.history(2), OutboxID(UUIDv7(high: 6, low: 6)), marks: [:], at: Sample.time(9)),
        ]
    }

    private static func examine(
        _ mutation: Mutation, in situation: UploadSituation, _ factory: StoreFactory
    ) async throws {
        let store = try await factory.started()
        let fold = FeedFold()
        let subscription = store.subscribe(fold.receive)
        var model = ReferenceModel()
        model.epoch = 1
        model.openings = [Sample.opening().opening]
        let parent = situation == .parked ? Sample.id(0) : nil
        for draft in [Sample.draft(0), Sample.draft(1, Sample.image(1), lane: .media, parent: parent)] {
            try model.enqueue(try await store.enqueue(draft))
        }
        for step in situation.history + [mutation] {
            try await store.commit([step])
            model.commit([step])
            try await model.adopt(from: store)
            if fold.isStale { fold.reset(model, controls: model.controls) }
        }
        do {
            try await model.check(store, ids: (0..<2).map(Sample.id), pageLimit: 2)
            try fold.check(model)
        } catch let failure as ConformanceFailure {
            throw ConformanceFailure(
                detail: "\(mutation) on \(situation): \(failure.detail)", file: failure.file, line: failure.line)
        }
        subscription.cancel()
        await store.close()
    }
}
