import '../cluster/index.ts';
