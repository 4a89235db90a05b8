package import Causeway
package import CausewayControlAPI

extension ClientControlService {
    package func edit(_ id: MessageID, _ request: EditRequest) async throws(ControlError) -> MessageDTO {
        switch (request.text, request.custom) {
        case (let text?, nil):
            try await asked { () throws(ClientError) in try await client.messages.editTextMessage(id, to: text) }
        case (nil, let custom?):
            try await asked { () throws(ClientError) in try await client.messages.editCustomMessage(id, to: custom) }
        default: throw ControlError(.badRequest, "an edit needs either `text` or `custom`")
        }
        return try await message(id)
    }

    package func react(_ id: MessageID, _ request: ReactionRequest) async throws(ControlError) -> MessageDTO {
        try await asked { () throws(ClientError) in
            if request.remove == true {
                try await client.messages.removeReaction(request.name, from: id)
            } else {
                try await client.messages.addReaction(request.name, to: id)
            }
        }
        return try await message(id)
    }
}
