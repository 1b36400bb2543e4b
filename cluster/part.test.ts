import test from 'ava';
import { build } from 'esbuild';
import { BUNDLE } from '../cli/bundle.ts';

/** Folders of which a part loads nothing: they are other parts'. */
const FOREIGN: Readonly<Record<string, readonly string[]>> = {
	'cluster/part.ts': ['agent/', 'controlplane/', 'csi/'],
	'cluster/parts/agent.ts': ['controlplane/', 'csi/'],
	'cluster/parts/joined-agent.ts': ['controlplane/', 'csi/'],
	'cluster/parts/standalone-agent.ts': ['controlplane/', 'csi/'],
	'cluster/parts/cri.ts': ['agent/', 'controlplane/', 'csi/'],
	'cluster/parts/apiserver.ts': ['agent/', 'csi/', 'controlplane/scheduler/'],
	'cluster/parts/scheduler.ts': ['agent/', 'csi/', 'controlplane/apiserver/', 'controlplane/controllers/'],
	'cluster/parts/controller-manager.ts': ['agent/', 'csi/', 'controlplane/apiserver/', 'controlplane/scheduler/'],
};

test('a part that runs alone loads no other part', async (t) => {
	const { metafile } = await build({
		...BUNDLE,
		...{ entryPoints: ['cluster/part.ts'], outdir: 'unused', splitting: true, write: false, metafile: true },
	});
	const { outputs } = metafile;
	const loaded = (path: string, seen = new Set<string>()): ReadonlySet<string> => {
		seen.add(path);
		for (const { path: next, kind } of outputs[path]?.imports ?? [])
			if (kind === 'import-statement' && next in outputs && !seen.has(next)) loaded(next, seen);
		return seen;
	};
	for (const [part, folders] of Object.entries(FOREIGN)) {
		const chunk = Object.keys(outputs).find((path) => outputs[path]?.entryPoint === part);
		t.truthy(chunk, `${part} is loaded when it is wanted`);
		const sources = [...loaded(chunk ?? '')].flatMap((path) =>
			Object.entries(outputs[path]?.inputs ?? {}).flatMap(([source, { bytesInOutput }]) => (bytesInOutput > 0 ? [source] : [])),
		);
		t.deepEqual(
			sources.filter((source) => folders.some((folder) => source.startsWith(folder))),
			[],
			part,
		);
	}
});
