package import HeliographPlatform

extension EventLoop {
    /// Says that the program is ready, and from now on that this loop turns: a service manager that does not hear it starts the
    /// program again.
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
