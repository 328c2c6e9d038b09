/// The pipes of one run of a program: written bytes arrive a little later, whole and in order.
final class ProgramPipes {
    private unowned let world: World
    private var underWay: [() -> Void] = []
    private var isOpen = true

    init(world: World) { self.world = world }

    func later(_ body: @escaping () -> Void) {
        underWay.append(body)
        world.after(world.dice.within(0...3)) { [self] _ in
            let next = underWay.removeFirst()
            if isOpen { next() }
        }
    }

    func close() { isOpen = false }
}
