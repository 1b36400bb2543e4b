/** `npm run soak -- NAME [--count N] [--seed N]`: the long campaigns, by hand; CI runs a short form of all but the defences. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CAMPAIGNS } from './campaigns.ts';

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: { help: { type: 'boolean' }, seed: { type: 'string' }, count: { type: 'string' } },
});
const campaign = CAMPAIGNS.find(({ name }) => name === positionals[0]);
if (campaign === undefined || values.help === true) {
	const lines = CAMPAIGNS.map(({ name, what, minutes }) => `  ${name.padEnd(14)} ${what} (about ${minutes} min)`);
	console.log(`usage: npm run soak -- NAME [--count N] [--seed N]\n${lines.join('\n')}`);
	process.exit(values.help === true || positionals.length === 0 ? 0 : 2);
}
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../../.cache/compile'); // of the many processes that are killed
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const count = Number(values.count ?? campaign.count);
console.log(`${campaign.name}: ${count} rounds, seed ${seed} (again: npm run soak -- ${campaign.name} --count ${count} --seed ${seed})`);
const { text, problems } = await campaign.run({ count, seed, log: console.log });
console.log(text);
if (problems.length > 0) {
	for (const problem of problems) console.error(problem);
	process.exitCode = 1;
}
