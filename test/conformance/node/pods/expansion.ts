/** [sig-node] Variable Expansion in a container's environment, command and arguments. */
import { conformance } from '../../suite.ts';
import { output } from '../pod.ts';

conformance(
	'[sig-node] Variable Expansion should allow composing env vars into new env vars [NodeConformance] [Conformance]',
	async (world) => {
		const env = [
			{ name: 'FOO', value: 'foo-value' },
			{ name: 'BAR', value: 'bar-value' },
			{ name: 'FOOBAR', value: '$(FOO);;$(BAR)' },
			{ name: 'ESCAPED', value: '$$(FOO) $(NONE)' },
		];
		const text = await output(world, { script: 'echo "$FOOBAR"; echo "$ESCAPED"', container: { env } });
		world.t.is(text, 'foo-value;;bar-value\n$(FOO) $(NONE)\n');
	},
);

conformance(
	"[sig-node] Variable Expansion should allow substituting values in a container's command [NodeConformance] [Conformance]",
	async (world) => {
		const env = [{ name: 'TEST_VAR', value: 'test-value' }];
		const command = ['sh', '-c', 'TEST_VAR=wrong echo "$(TEST_VAR)"'];
		world.t.is(await output(world, { container: { env, command } }), 'test-value\n');
	},
);

conformance(
	"[sig-node] Variable Expansion should allow substituting values in a container's args [NodeConformance] [Conformance]",
	async (world) => {
		const env = [{ name: 'TEST_VAR', value: 'test-value' }];
		const container = { env, command: ['sh', '-c'], args: ['TEST_VAR=wrong echo "$(TEST_VAR)"'] };
		world.t.is(await output(world, { container }), 'test-value\n');
	},
);
