/** A Runtime whose calls are counted and timed, under upstream's names of operations. */
import type { Clock } from '../../base/clock.ts';
import type { AgentMetrics } from '../metrics.ts';
import type { Runtime } from './runtime.ts';

export function measured(runtime: Runtime, metrics: AgentMetrics, clock: Clock): Runtime {
	const timed = <T>(operation: string, work: Promise<T>): Promise<T> => {
		const from = clock.monotonic();
		metrics.runtimeOperations.inc({ operation_type: operation });
		const done = (): void => metrics.runtimeDuration.observe({ operation_type: operation }, (clock.monotonic() - from) / 1000);
		work.then(done, () => {
			done();
			metrics.runtimeErrors.inc({ operation_type: operation });
		});
		return work;
	};
	return {
		status: (signal) => timed('status', runtime.status(signal)),
		pods: (signal) => timed('list_podsandbox', runtime.pods(signal)),
		states: (signal) => timed('list_podsandbox', runtime.states(signal)),
		pod: (uid, signal) => timed('podsandbox_status', runtime.pod(uid, signal)),
		sandbox: (...args) => timed('podsandbox_status', runtime.sandbox(...args)),
		events: (...args) => runtime.events(...args),
		runSandbox: (...args) => {
			metrics.startedPods.inc();
			const made = timed('run_podsandbox', runtime.runSandbox(...args));
			made.catch(() => metrics.startedPodsErrors.inc());
			return made;
		},
		createContainer: (...args) => timed('create_container', runtime.createContainer(...args)),
		startContainer: (...args) => timed('start_container', runtime.startContainer(...args)),
		stopContainer: (...args) => timed('stop_container', runtime.stopContainer(...args)),
		removeContainer: (...args) => timed('remove_container', runtime.removeContainer(...args)),
		updateResources: (...args) => timed('update_container_resources', runtime.updateResources(...args)),
		keepToCpus: (...args) => timed('update_container_resources', runtime.keepToCpus(...args)),
		stopSandbox: (...args) => timed('stop_podsandbox', runtime.stopSandbox(...args)),
		removeSandbox: (...args) => timed('remove_podsandbox', runtime.removeSandbox(...args)),
		image: (...args) => timed('image_status', runtime.image(...args)),
		images: (signal) => timed('list_images', runtime.images(signal)),
		pullImage: (...args) => timed('pull_image', runtime.pullImage(...args)),
		removeImage: (...args) => timed('remove_image', runtime.removeImage(...args)),
		exec: (...args) => timed('exec_sync', runtime.exec(...args)),
		execUrl: (...args) => timed('exec', runtime.execUrl(...args)),
		attachUrl: (...args) => timed('attach', runtime.attachUrl(...args)),
		portForwardUrl: (...args) => timed('port_forward', runtime.portForwardUrl(...args)),
		cgroupDriver: (signal) => timed('runtime_config', runtime.cgroupDriver(signal)),
		reopenLog: (...args) => timed('reopen_container_log', runtime.reopenLog(...args)),
		checkpoint: (...args) => timed('checkpoint_container', runtime.checkpoint(...args)),
		imageFolder: (signal) => timed('image_fs_info', runtime.imageFolder(signal)),
		usage: (signal, podUid) => timed('list_podsandbox_stats', runtime.usage(signal, podUid)),
	};
}
