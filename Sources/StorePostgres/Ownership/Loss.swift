internal import RelayCore
internal import Synchronization

/// The loss of ownership, reported once to the listener, whether the loss or the listener comes first.
final class Loss: Sendable {
    private enum Stage {
        /// Not lost. Can become `told` or `known`.
        case none(listener: (@Sendable (LogError) -> Void)?)
        /// The loss is not reported yet. Can become told.
        case known(LogError)
        case told
    }

    private let stage = Mutex(Stage.none(listener: nil))

    func whenLost(_ body: @escaping @Sendable (LogError) -> Void) {
        let error: LogError? = stage.withLock { stage in
            switch stage {
            case .none: stage = .none(listener: body)
            case .known(let error):
                stage = .told
                return error
            case .told: break
            }
            return nil
        }
        if let error { body(error) }
    }

    func happened(_ error: LogError) {
        let listener: (@Sendable (LogError) -> Void)? = stage.withLock { stage in
            guard case .none(let listener) = stage else { return nil }
            stage = listener == nil ? .known(error) : .told
            return listener
        }
        listener?(error)
    }
}
