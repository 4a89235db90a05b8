package import CausewayStorage
package import CausewaySystem

/// The options of a folder of blobs.
package struct BlobOptions: Sendable {
    package var bounds: BlobBounds
    package var durability: Durability
    /// Files that may wait to be copied or be copied at once.
    package var addsMax = 256
    /// Files that are copied at once; each takes a thread.
    package var copyThreads = 3
    /// Threads that read blobs.
    package var readThreads = 2
    /// Called before each step of a copy; an error that it returns takes the place of the step. Only tests set it.
    package var intercept: (@Sendable (BlobStep) -> SystemError?)?

    package init(bounds: BlobBounds = BlobBounds(), durability: Durability = .full) {
        self.bounds = bounds
        self.durability = durability
    }
}

/// A step of the copying of a file into a folder of blobs.
package enum BlobStep: Sendable, CaseIterable {
    case createCopy, write, syncCopy, createReference, rename, syncFolder
}
