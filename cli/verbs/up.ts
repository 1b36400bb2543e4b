/** `kubeling up`: runs the cluster in this process with live progress, or in a detached one that tells its progress over IPC. */
import { messageOf } from '../../base/errors.ts';
import { checkStart, explained } from '../../cluster/check-start.ts';
import type { ClusterEvent } from '../../cluster/events.ts';
import { becomeSmall } from '../become-small.ts';
import { whichCluster, type CommonFlags } from '../flags.ts';
import { launchDetached } from '../detach.ts';
import { ProgressView } from '../progress.ts';
import { tellParent } from '../tell-parent.ts';

export async function up(flags: CommonFlags): Promise<void> {
	if (flags.detach !== true) becomeSmall();
	const view = new ProgressView(process.stdout);
	const settled = await whichCluster(flags);
	let kubeconfig: Promise<typeof import('../../cluster/kubeconfig.ts')> | undefined;
	const onEvent = async (event: ClusterEvent): Promise<void> => {
		view.show(event);
		// Loaded while the cluster starts.
		kubeconfig ??= import('../../cluster/kubeconfig.ts');
		if (event.type !== 'ready') return;
		const { mergeIntoFile, userKubeconfigPath } = await kubeconfig;
		const path = userKubeconfigPath();
		if (flags.kubeconfig !== false) await mergeIntoFile(path, event.access);
		view.welcome(event, flags.kubeconfig === false ? undefined : path, flags.detach === true);
	};
	try {
		await checkStart(settled.dataDir);
		if (flags.detach === true) await launchDetached(flags, settled.dataDir, onEvent);
		else {
			// Who only starts another process and waits need not load it.
			const { runHere } = await import('../run-here.ts');
			await runHere(flags, settled.dataDir, onEvent, view);
		}
	} catch (error) {
		const plain = explained(error, settled.dataDir);
		await tellParent({ type: 'failed', message: messageOf(plain) });
		throw plain;
	}
}
