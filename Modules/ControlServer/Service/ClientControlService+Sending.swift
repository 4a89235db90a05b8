package import Causeway
package import CausewayControlAPI

extension ClientControlService {
    package func send(_ messages: [OutgoingMessage]) async throws(ControlError) -> SendReport {
        guard (1...ControlLimits.messagesPerRequestMax).contains(messages.count) else {
            throw ControlError(
                .tooLarge,
                "a request takes 1 to \(ControlLimits.messagesPerRequestMax) messages, not \(messages.count)")
        }
        var contents: [MessageContent] = []
        contents.reserveCapacity(messages.count)
        for (index, message) in messages.enumerated() {
            do throws(ControlError) {
                contents.append(try message.content())
            } catch {
                guard messages.count > 1 else { throw error }
                throw ControlError(
                    error.code, "message \(index + 1) of \(messages.count): \(error.detail); none was accepted")
            }
        }
        var ids: [MessageID] = []
        ids.reserveCapacity(messages.count)
        for (message, content) in zip(messages, contents) {
            do throws(ControlError) {
                ids.append(try await create(content, in: message.channel, message.parent, message.tags ?? []))
            } catch {
                if ids.isEmpty { throw error }
                return SendReport(ids: ids, problem: ProblemDTO(error))
            }
        }
        return SendReport(ids: ids)
    }

    private func create(
        _ content: MessageContent, in channel: ChannelID, _ parent: MessageID?, _ tags: [String]
    ) async throws(ControlError) -> MessageID {
        try await asked { () throws(ClientError) in
            switch content {
            case .text(let text):
                return try await client.messages.createTextMessage(text, in: channel, parent: parent, tags: tags).id
            case .custom(let data):
                return try await client.messages.createCustomMessage(data, in: channel, parent: parent, tags: tags)
                    .id
            case .image, .video, .audio, .file, .unknown: throw .content(.unsupported(content.type))
            }
        }
    }

    package func result(
        of id: MessageID, within limit: Duration
    ) async throws(ControlError) -> DeliveryResultResponse {
        let handle = try await asked { () throws(ClientError) in try await client.messages.handle(ofOperation: id) }
        let limit = min(max(limit, .zero), .seconds(ControlLimits.waitSecondsMax))
        let ended: DeliveryResultResponse? = await withTaskGroup(of: DeliveryResultResponse?.self) { group in
            group.addTask {
                do throws(DeliveryError) {
                    return DeliveryResultResponse(delivered: id, try await handle.delivered())
                } catch {
                    switch error {
                    case .failed(let failure): return DeliveryResultResponse(failed: id, failure)
                    case .deleted: return DeliveryResultResponse(deleted: id)
                    case .notCreated, .clientClosed, .unknown: return nil
                    }
                }
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        if let ended { return ended }
        let message = try await message(id)
        return DeliveryResultResponse(waiting: id, wait: message.wait, text: message.waitText)
    }
}
