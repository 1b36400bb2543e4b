/** What a machine must have to run containerd's own CRI server beside this one's, in namespaces of its own. */
import { lacked } from '../../tools/command.ts';
import { testEngine } from '../../tools/cri.ts';

const TOOLS = ['containerd', 'dockerd', 'runc', 'go', 'apt-get', 'unshare', 'iptables', 'ip'];

/** Undefined where nothing is missing. */
export async function whatIsMissing(): Promise<string | undefined> {
	const engine = await testEngine();
	return typeof engine === 'string' ? engine : lacked(TOOLS);
}
