"""How fast bsbench is: ``python -m benchmarks`` measures it."""
