/// The profiles that a relay knows, by name.
package struct ProfileSet: Sendable {
    private let profiles: [String: Profile]

    /// The shipped profiles.
    package init() {
        do throws(ProfileError) { try self.init(files: []) } catch { preconditionFailure("\(error)") }
    }

    /// The shipped profiles, and the operator's. A file with the name of a shipped profile replaces it: the bundle ids in ours are
    /// examples.
    package init(files: [(name: String, bytes: [UInt8])]) throws(ProfileError) {
        var profiles: [String: Profile] = [:]
        var own: Set<String> = []
        for profile in try Profile.shipped() { profiles[profile.name] = profile }
        for file in files {
            guard own.insert(file.name).inserted else {
                throw ProfileError(profile: file.name, path: "name", "there are two of this name: rename one of the files")
            }
            profiles[file.name] = try Profile(parsing: file.bytes, name: file.name)
        }
        // The operator's come last, so that of two that clash the error names theirs.
        let ordered = profiles.values.sorted {
            (own.contains($0.name) ? 1 : 0, $0.name) < (own.contains($1.name) ? 1 : 0, $1.name)
        }
        var taken: [Key: String] = [:]
        for profile in ordered {
            let key = Key(bundle: profile.bundle, attributesType: profile.attributesType)
            if let other = taken.updateValue(profile.name, forKey: key) {
                throw ProfileError(
                    profile: profile.name, path: profile.attributesType == nil ? "bundle" : "attributesType",
                    "\(other) is for the same bundle and attributes type: only one of them can be right, remove the other")
            }
        }
        self.profiles = profiles
    }

    package subscript(name: String) -> Profile? { profiles[name] }

    /// All profiles, sorted by name.
    package var all: [Profile] { profiles.values.sorted { $0.name < $1.name } }

    private struct Key: Hashable {
        var bundle: String
        var attributesType: String?
    }
}

extension Profile {
    /// The profiles in `Embedded/`. Tests show that each can be read.
    package static func shipped() throws(ProfileError) -> [Profile] {
        var profiles: [Profile] = []
        for file in EmbeddedFiles.all where file.path.hasSuffix(".json") {
            let bytes = unsafe Array(UnsafeBufferPointer(start: file.content.utf8Start, count: file.content.utf8CodeUnitCount))
            profiles.append(try Profile(parsing: bytes, name: String(file.path.dropLast(".json".count))))
        }
        return profiles
    }
}
