/** [sig-node] Containers: the image's entrypoint and arguments, and the pod's over them. */
import { commandImage } from '../../../tools/images.ts';
import { conformance, type World } from '../../suite.ts';
import { output } from '../pod.ts';

/** What the image's own `echo entrypoint default arguments` becomes. */
async function echoed(world: World, over: { readonly command?: string[]; readonly args?: string[] }): Promise<string> {
	return output(world, { container: { image: await commandImage(), ...over } });
}

conformance(
	'[sig-node] Containers should use the image defaults if command and args are blank [NodeConformance] [Conformance]',
	async (world) => {
		world.t.is(await echoed(world, {}), 'entrypoint default arguments\n');
	},
);

conformance(
	"[sig-node] Containers should be able to override the image's default arguments (container cmd) [NodeConformance] [Conformance]",
	async (world) => {
		world.t.is(await echoed(world, { args: ['override', 'arguments'] }), 'entrypoint override arguments\n');
	},
);

conformance(
	"[sig-node] Containers should be able to override the image's default command (container entrypoint) [NodeConformance] [Conformance]",
	async (world) => {
		// Whoever gives a command takes the image's arguments away with the image's command.
		world.t.is(await echoed(world, { command: ['/bin/echo', 'own'] }), 'own\n');
	},
);

conformance(
	"[sig-node] Containers should be able to override the image's default command and arguments [NodeConformance] [Conformance]",
	async (world) => {
		world.t.is(await echoed(world, { command: ['/bin/echo', 'own'], args: ['override', 'arguments'] }), 'own override arguments\n');
	},
);
