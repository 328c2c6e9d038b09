/// The first world in which a planted fault was noticed.
package struct Sighting: Sendable {
    package let plant: String
    /// Nil if it was never noticed.
    package let seed: UInt64?
    /// True if a checker for that fault noticed it, not another one.
    package let isByWatcher: Bool
    package let text: String

    init(_ plant: String, seed: UInt64, isByWatcher: Bool, _ text: String) {
        (self.plant, self.seed, self.isByWatcher, self.text) = (plant, seed, isByWatcher, text)
    }

    private init(missed plant: String) { (self.plant, seed, isByWatcher, text) = (plant, nil, false, "nobody sees it") }

    /// Plants each fault alone, in one world after the other, until it is noticed.
    package static func ofEveryPlant(in seeds: Range<UInt64>) async -> [Sighting] {
        await withTaskGroup(of: Sighting.self) { group in
            for plant in Plant.allCases { group.addTask { of(plant, in: seeds) } }
            for plant in ClusterPlant.allCases { group.addTask { of(plant, in: seeds) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    private static func of(_ plant: Plant, in seeds: Range<UInt64>) -> Sighting {
        var settings = SimulationSettings()
        settings.plant = plant
        for seed in seeds {
            guard let seen = Simulator(seed: seed, configuration: settings).run().violation else { continue }
            return Sighting(
                plant.rawValue, seed: seed, isByWatcher: plant.watchers.contains(seen.checker), "\(seen)")
        }
        return Sighting(missed: plant.rawValue)
    }

    private static func of(_ plant: ClusterPlant, in seeds: Range<UInt64>) -> Sighting {
        for seed in seeds {
            guard let seen = ClusterSimulator(seed: seed, settings: plant.settings).run().violation else { continue }
            return Sighting(
                plant.rawValue, seed: seed, isByWatcher: plant.watchers.contains(seen.promise), "\(seen)")
        }
        return Sighting(missed: plant.rawValue)
    }
}
