internal import RelayCore
internal import Synchronization

/// That what was owned is another's: told once, whoever comes first, the news or the listener.
final class Loss: Sendable {
    private enum Stage {
        /// Can become told, or known.
        case none(listener: (@Sendable (LogError) -> Void)?)
        /// Not reported yet. Can become told.
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
