/** What a machine must have to run containerd's own CRI server beside this one's, in namespaces of its own. */
import { run } from '../../tools/command.ts';
import { testEngine } from '../../tools/cri.ts';

const TOOLS = ['containerd', 'dockerd', 'runc', 'go', 'apt-get', 'unshare', 'iptables', 'ip'];

/** Undefined where nothing is missing. */
export async function whatIsMissing(): Promise<string | undefined> {
	const engine = await testEngine();
	if (typeof engine === 'string') return engine;
	for (const tool of TOOLS)
		if ((await run('sh', ['-c', `command -v ${tool}`])).code !== 0) return `needs ${tool}, which this machine lacks`;
	return undefined;
}
