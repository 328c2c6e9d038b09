import RelayProtocol

/// Every push that is on disk or being written, with its outcome.
struct PushJournal {
    private var pushes: [PushID: PlannedPush] = [:]
    /// Pushes to each device, oldest first.
    private var ofDevices: [DeviceKey: [PushID]] = [:]
    private let numbers: PushNumbers
    /// The first workspace. Its records are permanent, because it cannot be removed.
    let firstWorkspace: WorkspaceID
    /// The last number given in each block.
    private var lasts: [PushNumbers: PushID] = [:]
    /// The last block used for each workspace's pushes.
    private var blocks: [WorkspaceID: PushNumbers] = [:]
    /// The last number of the shared block that is recorded in the first workspace.
    private var kept = PushID(rawValue: 0)

    init(_ numbers: PushNumbers, firstWorkspace: WorkspaceID) {
        self.numbers = numbers
        self.firstWorkspace = firstWorkspace
    }

    var count: Int { pushes.count }

    subscript(id: PushID) -> PlannedPush? { pushes[id] }

    /// Pushes to a device, oldest first.
    func ids(of key: DeviceKey) -> [PushID] { ofDevices[key] ?? [] }

    /// All pushes, in order of their numbers.
    var ids: [PushID] { pushes.keys.sorted() }

    /// The largest number given; 0 if there is none.
    var last: PushID { lasts.values.max() ?? PushID(rawValue: 0) }

    var keys: [DeviceKey] { ofDevices.keys.sorted() }

    var unanswered: [PlannedPush] { pushes.values.filter { $0.outcome == nil }.sorted { $0.intent.id < $1.intent.id } }

    // MARK: - As they come

    /// Adds a push from disk.
    /// - Returns: false if another has the same number.
    mutating func restore(_ planned: PlannedPush) -> Bool {
        guard pushes[planned.intent.id] == nil else { return false }
        pushes[planned.intent.id] = planned
        ofDevices[planned.key, default: []].append(planned.intent.id)
        wasGiven(planned.intent.id, in: planned.intent.workspace)
        return true
    }

    /// Marks a number as used, so that it is not given again.
    mutating func wasGiven(_ number: PushID, in workspace: WorkspaceID) {
        let block = PushNumbers(of: number)
        lasts[block] = max(lasts[block] ?? number, number)
        noteKept(number, in: workspace)
        if let known = blocks[workspace], known.workspace > block.workspace { return }
        blocks[workspace] = block
    }

    private mutating func noteKept(_ number: PushID, in workspace: WorkspaceID) {
        if workspace == firstWorkspace, PushNumbers(of: number) == .ofAll { kept = max(kept, number) }
    }

    /// Sorts the pushes of each device, after they were restored.
    mutating func sort() { for key in ofDevices.keys { ofDevices[key]?.sort() } }

    /// The last number given in each workspace's block to pushes of this device.
    func lastNumbers(of key: DeviceKey) -> [LastNumber] {
        Set(ids(of: key).map { PushNumbers(of: $0) }).compactMap { lasts[$0] }.sorted().map { LastNumber($0) }
    }

    /// The last number of the block that all workspaces share, to be kept with the first workspace; nil if a record of that names it
    /// already, or pushes are numbered in a block of their own.
    mutating func takeLastOfAll() -> LastNumber? {
        guard numbers == .ofAll, let last = lasts[.ofAll], last > kept else { return nil }
        kept = last
        return LastNumber(last)
    }

    /// Adds a push under a new number. Returns it with that number.
    mutating func add(_ planned: PlannedPush) -> PlannedPush {
        var planned = planned
        let workspace = planned.intent.workspace
        let block = numbers == .ofAll ? blocks[workspace] ?? .ofAll : numbers
        let id = block.next(after: lasts[block])
        lasts[block] = id
        noteKept(id, in: workspace)
        planned.intent.id = id
        pushes[id] = planned
        ofDevices[planned.key, default: []].append(id)
        return planned
    }

    /// Records the outcome. Returns the push; nil if it is unknown or has an outcome already.
    mutating func answer(_ id: PushID, _ outcome: PushOutcome, at now: Int64) -> PlannedPush? {
        guard let planned = pushes[id], planned.outcome == nil else { return nil }
        pushes[id]?.outcome = outcome
        pushes[id]?.answeredAt = now
        return pushes[id]
    }

    /// Returns false if the push is unknown, has an outcome, or is withdrawn already.
    mutating func withdraw(_ id: PushID) -> Bool {
        guard let planned = pushes[id], planned.outcome == nil, !planned.isWithdrawn else { return false }
        pushes[id]?.isWithdrawn = true
        return true
    }

    /// Pushes that ring for this approval on this device.
    func rings(for name: CallName, on key: DeviceKey) -> [PlannedPush] {
        ids(of: key).compactMap { pushes[$0] }.filter { $0.rings.contains(name) }
    }

    mutating func markCode(of id: PushID, isUsed: Bool) -> PlannedPush? {
        pushes[id]?.isCodeUsed = isUsed
        return pushes[id]
    }

    /// True unless as many pushes as allowed wait for an outcome. Beyond that none is planned, and cards and rings stay due.
    func hasRoom(for key: DeviceKey) -> Bool {
        ids(of: key).count { pushes[$0]?.outcome == nil } < PlannerLimits.unansweredPushesMax
    }

    // MARK: - Forgotten

    /// Removes and returns old pushes of the device. `isAsked`: the approval of a code is still pending, so the push is kept.
    mutating func forgetOld(of key: DeviceKey, isAsked: (PushCode) -> Bool) -> [PlannedPush] {
        guard let ids = ofDevices[key], ids.count > PlannerLimits.pushesKept else { return [] }
        var forgotten: [PlannedPush] = []
        var codes: [CallName: Int] = [:]
        var codesCount = 0
        for id in ids.dropLast(PlannerLimits.pushesKept).reversed() {
            guard let old = pushes[id], let outcome = old.outcome else { continue }
            if let code = old.intent.code, let name = old.rings.first, outcome.mayBeHeard, codesCount < PlannerLimits.codesKept,
                codes[name, default: 0] < PlannerLimits.codesOfApprovalKept, isAsked(code)
            {
                codes[name, default: 0] += 1
                codesCount += 1
                (pushes[id]!.intent.payload, pushes[id]!.intent.seal) = ([], nil)
                continue
            }
            pushes[id] = nil
            forgotten.append(old)
        }
        ofDevices[key] = ids.filter { pushes[$0] != nil }
        return forgotten
    }

    /// Removes and returns the pushes of a device that is forgotten, except those that outlive it.
    mutating func forgetAll(of key: DeviceKey) -> [PlannedPush] {
        let (kept, old) = ids(of: key).reduce(into: ([PushID](), [PushID]())) { lists, id in
            if pushes[id]?.outlivesDevice == true { lists.0.append(id) } else { lists.1.append(id) }
        }
        ofDevices[key] = kept.isEmpty ? nil : kept
        return old.compactMap { pushes.removeValue(forKey: $0) }
    }

    /// Removes a push that never reached the disk.
    mutating func takeBack(_ id: PushID) {
        guard let planned = pushes.removeValue(forKey: id) else { return }
        ofDevices[planned.key]?.removeAll { $0 == id }
    }

    // MARK: - Bounds

    /// The first bound that is exceeded, as a sentence.
    func breach(isKnown: (DeviceKey) -> Bool) -> String? {
        var breach: String?
        for (key, ids) in ofDevices {
            if !isKnown(key), ids.contains(where: { pushes[$0]?.outlivesDevice != true }) {
                breach = "pushes are kept whose device is forgotten"
            }
            let most = 2 * PlannerLimits.pushesKept + PlannerLimits.unansweredPushesMax + PlannerLimits.codesKept
            if ids.count > most {
                breach = "too many pushes are kept"
            }
        }
        if ofDevices.values.reduce(0, { $0 + $1.count }) != pushes.count { breach = "a push is nobody's" }
        return breach
    }
}
