/** The ids of this machine for pods, with what is given of them. */
import type { Log } from '../../base/log.ts';
import { spanOfMachine } from './span.ts';
import { UserNamespaces } from './user-namespaces.ts';

export async function openUsers(rootDir: string, idsPerPod: number, maxPods: number, log: Log): Promise<UserNamespaces> {
	return await UserNamespaces.open({ rootDir, idsPerPod, maxPods, span: await spanOfMachine(idsPerPod, log) });
}
