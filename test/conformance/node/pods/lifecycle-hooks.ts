/** [sig-node] Container Lifecycle Hook, PreStop: what runs beside a container's start and its end. */
import type { V1LifecycleHandler, V1Lifecycle } from '@kubernetes/client-node';
import { eventually } from '../../../tools/eventually.ts';
import { gone } from '../../refusals.ts';
import { conformance, type World } from '../../suite.ts';
import { BOUND_MS, nameOf, read, remove, running, says, STAYS } from '../pod.ts';

/** A pod that writes down which path of its own is asked for by HTTP; resolves with its address. */
async function handler(world: World): Promise<string> {
	const script = 'mkdir /www; for f in start stop; do echo $f > /www/$f; done; exec httpd -f -vv -p 8080 -h /www';
	const readinessProbe = { tcpSocket: { port: 8080 }, periodSeconds: 1 };
	return (await running(world, { name: 'handler', script, container: { readinessProbe } })).status?.podIP ?? '';
}
const asked = (world: World, path: string): Promise<string> => says(world, 'handler', new RegExp(`url:${path}\n`));

/** In the container, by its own wget. */
const exec = (host: string, path: string): V1LifecycleHandler => ({
	exec: { command: ['wget', '-q', '-O', '/dev/null', `http://${host}:8080${path}`] },
});
const http = (host: string, path: string): V1LifecycleHandler => ({ httpGet: { host, port: 8080, path } });

/** A pod with a hook that is ready, and deleted. */
async function hooked(world: World, lifecycle: V1Lifecycle): Promise<void> {
	const spec = { terminationGracePeriodSeconds: 30 };
	const name = nameOf(await running(world, { script: STAYS, container: { lifecycle }, spec }));
	await remove(world, name);
	await eventually(`${name} is gone`, () => gone(read(world, name)), BOUND_MS);
}

conformance(
	'[sig-node] Container Lifecycle Hook when create a pod with lifecycle hook should execute poststart exec hook properly [NodeConformance] [Conformance]',
	async (world) => {
		const host = await handler(world);
		await hooked(world, { postStart: exec(host, '/start') });
		world.t.truthy(await asked(world, '/start'));
	},
);

conformance(
	'[sig-node] Container Lifecycle Hook when create a pod with lifecycle hook should execute poststart http hook properly [NodeConformance] [Conformance]',
	async (world) => {
		const host = await handler(world);
		await hooked(world, { postStart: http(host, '/start') });
		world.t.truthy(await asked(world, '/start'));
	},
);

conformance(
	'[sig-node] Container Lifecycle Hook when create a pod with lifecycle hook should execute prestop exec hook properly [NodeConformance] [Conformance]',
	async (world) => {
		const host = await handler(world);
		await hooked(world, { preStop: exec(host, '/stop') });
		world.t.truthy(await asked(world, '/stop'));
	},
);

conformance(
	'[sig-node] Container Lifecycle Hook when create a pod with lifecycle hook should execute prestop http hook properly [NodeConformance] [Conformance]',
	async (world) => {
		const host = await handler(world);
		await hooked(world, { preStop: http(host, '/stop') });
		world.t.truthy(await asked(world, '/stop'));
	},
);

conformance('[sig-node] PreStop should call prestop when killing a pod [Conformance]', async (world) => {
	const host = await handler(world);
	world.t.notRegex(await says(world, 'handler', /^/), /url:/);
	// The container is told to end only after the hook: it is there to answer the hook itself, and says so afterwards.
	const script = `sleep 2; kill -0 1 && wget -q -O /dev/null http://${host}:8080/stop`;
	await hooked(world, { preStop: { exec: { command: ['sh', '-c', script] } } });
	world.t.truthy(await asked(world, '/stop'));
});
