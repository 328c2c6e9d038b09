import HeliographHook
import Testing

@Suite("Host paths")
struct HostPathsTests {
    @Test("Without any variable but HOME, the places are the usual ones")
    func defaults() {
        let paths = paths(["HOME": "/home/me"])
        #expect(paths.socket == "/home/me/.local/state/heliograph/host.sock")
        #expect(paths.stateDirectory == "/home/me/.local/state/heliograph")
        #expect(paths.configDirectory == "/home/me/.config/heliograph")
    }

    @Test("The XDG folders and our own variable go first")
    func variables() {
        let variables = ["HOME": "/h", "XDG_STATE_HOME": "/s", "XDG_CONFIG_HOME": "/c"]
        #expect(paths(variables).socket == "/s/heliograph/host.sock")
        #expect(paths(variables).configDirectory == "/c/heliograph")
        #expect(paths(variables.merging(["HELIOGRAPH_SOCKET": "/x.sock"]) { $1 }).socket == "/x.sock")
    }

    @Test("A path that is not absolute is ignored")
    func relativePaths() {
        let variables = ["HOME": "/h", "XDG_STATE_HOME": "s", "XDG_CONFIG_HOME": "", "HELIOGRAPH_SOCKET": "./x.sock"]
        #expect(paths(variables) == paths(["HOME": "/h"]))
        #expect(paths([:]).home.hasPrefix("/"))
    }

    private func paths(_ variables: [String: String]) -> HostPaths { HostPaths { variables[$0] } }
}
