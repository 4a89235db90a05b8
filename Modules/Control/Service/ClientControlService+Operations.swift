package import Causeway

extension ClientControlService {
    package func edit(_ id: MessageID, _ form: EditForm) async throws(ControlError) -> MessageForm {
        switch (form.text, form.custom) {
        case (let text?, nil):
            try await asked { () throws(ClientError) in try await client.messages.editTextMessage(id, to: text) }
        case (nil, let custom?):
            try await asked { () throws(ClientError) in try await client.messages.editCustomMessage(id, to: custom) }
        default: throw ControlError(.badRequest, "an edit needs either `text` or `custom`")
        }
        return try await message(id)
    }

    package func react(_ id: MessageID, _ form: ReactionForm) async throws(ControlError) -> MessageForm {
        try await asked { () throws(ClientError) in
            if form.remove == true {
                try await client.messages.removeReaction(form.name, from: id)
            } else {
                try await client.messages.addReaction(form.name, to: id)
            }
        }
        return try await message(id)
    }
}
