package import HeliographPlatform

extension EventLoop {
    /// Reports readiness to the service manager, and from now on that this loop is alive; otherwise the service manager restarts
    /// the program.
    package func report(to manager: ServiceManager) {
        manager.tell(.ready)
        beat(to: manager)
    }

    private func beat(to manager: ServiceManager) {
        guard let interval = manager.watchdogInterval else { return }
        manager.tell(.alive)
        _ = schedule(after: interval) { [unowned self] in beat(to: manager) }
    }
}
