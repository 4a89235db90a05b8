package import CausewayModels
internal import CausewaySystem
internal import CausewayTLS

/// Creates a new hub in a folder: authority, server certificate, database, first account, and first channel, which the
/// account owns.
package struct HubSetup: Sendable {
    /// How long the certificates are valid: ten years for the authority, two for the server.
    private static let authorityDays = 3650
    private static let serverDays = 730

    /// The result of a setup.
    package struct Made: Sendable {
        package let folder: DataFolder
        package let names: [String]
        package let account: UserID
        package let channel: ChannelID
        /// The path of the account's token; the file is readable by its owner only.
        package let tokenPath: String
    }

    private let folder: DataFolder
    private let names: [String]
    private let account: UserID
    private let channel: ChannelID

    /// - Parameter names: host names and addresses by which clients will reach the hub, at least one.
    /// - Throws: `badName`, `configuration`.
    package init(folder: DataFolder, names: [String], account: String, channel: String) throws(HubError) {
        guard !names.isEmpty else {
            throw .configuration("a server certificate needs at least one --name")
        }
        guard let user = UserID(account) else {
            throw .badName(kind: "account", name: account, problem: Name.problem(with: account) ?? "is wrong")
        }
        guard let channelID = ChannelID(channel) else {
            throw .badName(kind: "channel", name: channel, problem: Name.problem(with: channel) ?? "is wrong")
        }
        self.folder = folder
        self.names = names
        self.account = user
        self.channel = channelID
    }

    /// Creates everything or nothing: a failed attempt removes what it created.
    ///
    /// - Parameter opening: creates the storage.
    /// - Throws: `alreadySetUp` if any of the files exists; nothing is overwritten.
    package func run(opening: HubStorageOpening) async throws(HubError) -> Made {
        let tokenPath = folder.token(of: account.value)
        let files = [
            folder.database, folder.authorityCertificate, folder.authorityKey, folder.serverCertificate,
            folder.serverKey, tokenPath,
        ]
        for path in files where FileSystem.exists(path) { throw .alreadySetUp(path: path) }
        try folder.checkOwner()
        try DataFolder.makeFolder(folder.path)
        // No other process sets up or serves here meanwhile; and none did so between the check above and now.
        let lock = try DataFolderLock(folder)
        defer { withExtendedLifetime(lock) {} }
        for path in files where FileSystem.exists(path) { throw .alreadySetUp(path: path) }
        do {
            try makeCertificates()
            try await makeDatabase(tokenPath, opening)
        } catch {
            for path in files + [folder.database + "-wal", folder.database + "-shm"] { DataFolder.remove(path) }
            throw error
        }
        return Made(folder: folder, names: names, account: account, channel: channel, tokenPath: tokenPath)
    }

    private func makeCertificates() throws(HubError) {
        try DataFolder.makeFolder(folder.path + "/tls")
        do {
            let authority = try CertificateAuthority.create(
                commonName: "Causeway hub authority", validDays: Self.authorityDays)
            try authority.write(certificatePath: folder.authorityCertificate, privateKeyPath: folder.authorityKey)
            let server = try authority.issueServer(names: names, validDays: Self.serverDays)
            try server.write(certificatePath: folder.serverCertificate, privateKeyPath: folder.serverKey)
        } catch {
            throw HubError.configuration("\(error)")
        }
    }

    private func makeDatabase(_ tokenPath: String, _ opening: HubStorageOpening) async throws(HubError) {
        let storage = try await folder.storage(opening, isNew: true)
        let administration = HubAdministration(storage)
        defer { administration.close() }
        let token = try await administration.addAccount(account.value)
        try token.write(to: tokenPath)
        _ = try await administration.addChannel(channel, owner: account)
    }
}
