/** `npm run bench -- NAME`: a benchmark against its floor, both in one run, interleaved; prints a table with ratios. */
import { missing } from './needs.ts';
import { asked } from './usage.ts';

const wanted = asked(process.argv.slice(2));
if (wanted.type === 'usage') {
	(wanted.status === 0 ? console.log : console.error)(wanted.text);
	process.exit(wanted.status);
}
const { name, args } = wanted;
const lacks = await missing(name);
if (lacks.length > 0) {
	console.error(`The benchmark ${name} cannot run here: ${lacks.join('; ')}`);
	process.exit(1);
}
const { bench } = (await import(`./${name}.ts`)) as { bench: (args: readonly string[]) => Promise<void> };
await bench(args);
