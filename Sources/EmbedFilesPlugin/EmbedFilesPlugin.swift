import Foundation
import PackagePlugin

/// Turns files into Swift source, so that the binary carries them: `web/` for the server, `Embedded/` for a module that has one.
@main
struct EmbedFilesPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let module = target as? any SourceModuleTarget else { return [] }
        let own = module.directoryURL.appending(path: "Embedded")
        let folder =
            FileManager.default.fileExists(atPath: own.path) ? own : context.package.directoryURL.appending(path: "web")
        var inputs: [URL] = []
        let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
        while let url = found?.nextObject() as? URL {
            if try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true { inputs.append(url) }
        }
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedFiles.swift")
        return [
            .buildCommand(
                displayName: "Embedding \(folder.lastPathComponent) into \(module.name)",
                executable: try context.tool(named: "EmbedFiles").url,
                arguments: [folder.path, output.path],
                inputFiles: inputs.sorted { $0.path < $1.path },
                outputFiles: [output])
        ]
    }
}
