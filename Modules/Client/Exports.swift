// `import Causeway` provides everything that an application needs.
@_exported public import CausewayLiveQuery
@_exported public import CausewayModels
@_exported public import CausewayOutbox
@_exported public import CausewayRecords
@_exported public import CausewayRuntime
@_exported public import CausewayStorage
@_exported public import CausewaySync
@_exported public import CausewayTransport
