/** The ids of this machine for pods, with what is given of them. */
import { spanOfMachine } from './span.ts';
import { UserNamespaces } from './user-namespaces.ts';

export async function openUsers(rootDir: string, idsPerPod: number, maxPods: number): Promise<UserNamespaces> {
	return await UserNamespaces.open({ rootDir, idsPerPod, maxPods, span: await spanOfMachine(idsPerPod) });
}
