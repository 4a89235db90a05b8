package import CausewayStorageConformance

extension FaultyDisk {
    /// Fails as the rules about disks ask for; `nil` ends every fault.
    package func fail(_ fault: FailingStoreFactory.Fault?) {
        switch fault {
        case .full: failAll(.write, .full)
        case .writes: failAll(.write)
        case .oneSync: failNext(1, .sync)
        case .syncs: failAll(.sync)
        case nil: set([])
        }
    }
}
