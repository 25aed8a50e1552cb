from reveried.main import main

main()
